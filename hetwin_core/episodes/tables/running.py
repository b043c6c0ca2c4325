"""Tables of a run that goes on, derived as it goes; no log is written."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.due import DueStates, KeptState
from hetwin_core.episodes.following.log_file import Place
from hetwin_core.episodes.following.states import States
from hetwin_core.episodes.run_messages import task_message
from hetwin_core.episodes.tables.deriving.beliefs import told_columns
from hetwin_core.episodes.tables.deriving.derivation import Derivation
from hetwin_core.episodes.tables.found import Found
from hetwin_core.episodes.tables.tables import Tables

_TOGETHER = 64
"""States that are taken in at once."""


class _Batch(NamedTuple):
    states: States | None
    events: tuple[Event, ...]
    beliefs: tuple[Event, ...]


class RunTables(RunListener):
    """Listens to a run, and derives what `open_tables` would read from its log.

    A process that is forked from this one while the run goes on has tables of its own from there.

    Args:
        state_rate: states per simulated second. The first and the last state, and that of every step with an event or a
            handover, are always taken in.
    """

    def __init__(self, state_rate: float = 100.0) -> None:
        self._due = DueStates(state_rate)
        self._states: list[KeptState] = []
        self._events: list[Event] = []
        self._beliefs: list[Event] = []
        self._batches: list[_Batch] = []
        self._derivation: Derivation | None = None

    def started(self, start: RunStart) -> None:
        """Begin with the first state, unless these tables go on with a run that was restored."""
        if self._derivation is not None:
            return
        self._start = start
        self._derivation = Derivation(start.layout)
        self._states.append(self._due.first(start.snapshot).copied())

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Take in the state if it is due, else keep it, as it may be the last one."""
        state = self._due.take(step, scene)
        if state is None:
            return
        self._states.append(state._replace(near=state.near.copied()).copied())
        if len(self._states) >= _TOGETHER:
            self.take_in()

    def event(self, event: Event) -> None:
        """Take in an event."""
        self._due.happened = True
        self._events.append(event)

    def belief(self, event: Event) -> None:
        """Take in what the robot believes."""
        self._beliefs.append(event)

    def handover(self, handover: Handover) -> None:
        """Take in the step's state."""
        self._due.happened = True

    def ended(self, summary: RunSummary) -> None:
        """Take in the last state."""
        self.finish()

    def finish(self) -> None:
        """Take in the last state and judge what waited for more."""
        if self._derivation is None:
            return
        last = self._due.left()
        if last is not None:
            self._states.append(last)
        self.take_in()
        self._derivation.finish()

    def tables(self, name: str = "future") -> Tables:
        """Return the tables of the run, which is over.

        Args:
            name: of the episode.
        """
        derivation, start = self._derivation, self._start
        assert derivation is not None  # the run has begun
        found = Found.of(derivation, derivation.latest_ns, True, start.given)
        models = tuple(model.name for model in start.models)
        return found.tables(Path(name), self._states_at, start.layout, models)

    def copied(self) -> RunTables:
        """Return tables of the same run that go on by themselves."""
        self.take_in()
        assert self._derivation is not None  # the run has begun
        layout = self._start.layout
        other = RunTables()
        other.__dict__.update(
            self.__dict__,
            _due=self._due.copied(),
            _states=[],
            _events=[],
            _beliefs=[],
            _batches=list(self._batches),
            # What describes the scene never changes.
            _derivation=deepcopy(self._derivation, {id(layout): layout}),
        )
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process derives the same from."""
        if self._derivation is not None:
            self.take_in()
        return {**self.__dict__, "_derivation": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Derive the same again."""
        self.__dict__.update(state)
        if self._batches:
            self._derivation = Derivation(self._start.layout)
            for number in range(len(self._batches)):
                self._derive(number)

    def take_in(self) -> None:
        """Derive what follows from all that was heard so far, which is otherwise done for many states at once."""
        if self._states or self._events or self._beliefs:
            states = _together(self._states) if self._states else None
            self._batches.append(_Batch(states, tuple(self._events), tuple(self._beliefs)))
            for heard in (self._states, self._events, self._beliefs):
                heard.clear()
            self._derive(len(self._batches) - 1)

    def _derive(self, number: int) -> None:
        derivation, (states, events, beliefs) = self._derivation, self._batches[number]
        assert derivation is not None  # the run has begun
        batch = None if states is None else derivation.add_states(states, Place(number, 0))
        for event in events:
            kind = event.kind.value
            derivation.add_event(event.name, kind, event.source, event.time_ns, event.arguments)
            if event.kind is EventKind.TASK:
                derivation.tasks.message(task_message(event))
        if beliefs:
            derivation.add_beliefs(told_columns(beliefs, derivation.beliefs.claims))
        if batch is not None:
            derivation.errors.update(batch)

    def _states_at(self, place: Place) -> States:
        states = self._batches[place.at].states
        assert states is not None  # pieces are of batches with states
        return states


def _together(states: list[KeptState]) -> States:
    near = [state.near.rows() for state in states]
    return States(
        np.array([state.time_ns for state in states], np.int64),
        np.stack([state.values for state in states]),
        np.stack([state.owners for state in states]),
        np.stack([state.parents for state in states]),
        np.concatenate(near),
        np.repeat(np.arange(len(states)), [len(rows) for rows in near]),
    )
