"""Opens the tables of a run from its folder, or derives them during the run."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.episodes.bag import FACTS, METADATA
from hetwin_core.episodes.following.content import (
    is_ended,
    log_file,
    no_run,
    no_scene,
    readable,
    truncated,
)
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Place
from hetwin_core.episodes.following.states import Definitions, StateReader, States
from hetwin_core.episodes.log_writer import RecordedState, StateSelector
from hetwin_core.episodes.run_folder import LOG
from hetwin_core.episodes.run_messages import task_message
from hetwin_core.episodes.tables.deriving.beliefs import event_columns
from hetwin_core.episodes.tables.deriving.derivation import Derivation, Deriver, RunRegistry
from hetwin_core.episodes.tables.found import DerivedTables, cache_tables, read_cached_tables
from hetwin_core.episodes.tables.tables import Tables

_BATCH_SIZE = 256
"""Number of states that are processed at once."""


class _Batch(NamedTuple):
    states: States | None
    events: tuple[Event, ...]
    beliefs: tuple[Event, ...]


class RunTables(RunListener):
    """Listens to a run, and derives the same tables that `open_tables` would read from its log.

    A process that is forked from this one during the run continues with its own tables.

    Args:
        state_rate: states per simulated second. The first and the last state, and that of every step with an event
            or a handover, are always used.
    """

    def __init__(self, state_rate: float = 100.0) -> None:
        self._due = StateSelector(state_rate)
        self._states: list[RecordedState] = []
        self._events: list[Event] = []
        self._beliefs: list[Event] = []
        self._batches: list[_Batch] = []
        self._derivation: Derivation | None = None

    def started(self, start: RunStart) -> None:
        """Start with the first state, unless these tables continue those of a restored run."""
        if self._derivation is not None:
            return
        self._start = start
        self._derivation = Derivation(start.layout)
        self._states.append(self._due.first(start.snapshot).copied())

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Add the state if it is due, else remember it, because it may be the last one."""
        state = self._due.take(step, scene)
        if state is None:
            return
        self._states.append(state._replace(near=state.near.copied()).copied())
        if len(self._states) >= _BATCH_SIZE:
            self.take_in()

    def next_ns(self, now_ns: int) -> int:
        """Next time at which a state is due."""
        return self._due.next_ns(now_ns)

    def event(self, event: Event) -> None:
        """Add an event."""
        self._due.happened = True
        self._events.append(event)

    def belief(self, event: Event) -> None:
        """Add a belief of the robot."""
        self._beliefs.append(event)

    def handover(self, handover: Handover) -> None:
        """Mark the step's state as due."""
        self._due.happened = True

    def ended(self, summary: RunSummary) -> None:
        """Add the last state."""
        self.finish()

    def finish(self) -> None:
        """Add the last state, and complete the findings that were waiting for further states."""
        if self._derivation is None:
            return
        last = self._due.take_last()
        if last is not None:
            self._states.append(last)
        self.take_in()
        self._derivation.finish()

    def tables(self, name: str = "future") -> Tables:
        """Return the tables of the finished run.

        Args:
            name: name of the episode.
        """
        derivation, start = self._derivation, self._start
        assert derivation is not None  # the run has started
        found = DerivedTables.of(derivation, derivation.latest_ns, True, start.given)
        models = tuple(model.name for model in start.models)
        return found.tables(Path(name), self._states_at, start.layout, models)

    def copier(self) -> Callable[[], RunTables]:
        """Return a function that returns independent tables of the run up to now."""
        self.take_in()
        layout, file = self._start.layout, BytesIO()
        pickler = pickle.Pickler(file)
        # The layout is shared, because it never changes.
        pickler.persistent_id = lambda value: 0 if value is layout else None  # type: ignore[method-assign]
        pickler.dump(self._derivation)

        def copied() -> RunTables:
            other, unpickler = RunTables(), pickle.Unpickler(BytesIO(file.getvalue()))
            unpickler.persistent_load = lambda _: layout  # type: ignore[method-assign]
            other.__dict__.update(
                self.__dict__,
                _due=self._due.copied(),
                _states=[],
                _events=[],
                _beliefs=[],
                _batches=[*self._batches],
                _derivation=unpickler.load(),
            )
            return other

        return copied

    def __getstate__(self) -> dict[str, Any]:
        """Return the state from which another process derives the same tables."""
        if self._derivation is not None:
            self.take_in()
        return {**self.__dict__, "_derivation": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Derive the same tables again."""
        self.__dict__.update(state)
        if self._batches:
            self._derivation = Derivation(self._start.layout)
            for number in range(len(self._batches)):
                self._derive(number)

    def take_in(self) -> None:
        """Process everything received so far, which otherwise happens for `_BATCH_SIZE` states at once."""
        if self._states or self._events or self._beliefs:
            states = _joined(self._states) if self._states else None
            self._batches.append(_Batch(states, tuple(self._events), tuple(self._beliefs)))
            for received in (self._states, self._events, self._beliefs):
                received.clear()
            self._derive(len(self._batches) - 1)

    def _derive(self, number: int) -> None:
        derivation, (states, events, beliefs) = self._derivation, self._batches[number]
        assert derivation is not None  # the run has started
        batch = None if states is None else derivation.add_states(states, Place(number, 0))
        for event in events:
            kind = event.kind.value
            derivation.add_event(event.name, kind, event.source, event.time_ns, event.arguments)
            if event.kind is EventKind.TASK:
                derivation.tasks.message(task_message(event))
        if beliefs:
            derivation.add_beliefs(event_columns(beliefs, derivation.beliefs.claims))
        if batch is not None:
            derivation.errors.update(batch)

    def _states_at(self, place: Place) -> States:
        states = self._batches[place.at].states
        assert states is not None  # only batches with states have pieces
        return states


def _joined(states: list[RecordedState]) -> States:
    near = [state.near.rows() for state in states]
    return States(
        np.array([state.time_ns for state in states], np.int64),
        np.stack([state.values for state in states]),
        np.stack([state.owners for state in states]),
        np.stack([state.parents for state in states]),
        np.concatenate(near),
        np.repeat(np.arange(len(states)), [len(rows) for rows in near]),
    )


def finished_tables(run: Path) -> Tables:
    """Return the tables of a finished run.

    Raises:
        BadInput: if there is no run in the folder, it is not over, or it cannot be read.
    """
    tables = open_tables(run)
    if not (tables.finished and (run / LOG / METADATA).exists()):
        raise BadInput(
            "the log is incomplete: the run is still in progress, or was killed",
            file=run / LOG,
            expected="the log of a finished run",
        )
    return tables


def open_tables(run: Path) -> Tables:
    """Read the tables of a run, whether it is over or not.

    The findings in a complete log are cached beside it, and read from there the next time. If the folder cannot be
    written to, the log is read each time.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log, or the log cannot be read.
    """
    path = log_file(run)
    found = read_cached_tables(run, path)
    if found is None:
        follower = Follower(run)
        tables = follower.poll()
        if tables.finished:
            cache_tables(run, path, follower.found())
        return tables
    file = LogFile(path)
    with readable(path):
        scene = _scene(run, file)
        reader = StateReader(scene.layout, file, Definitions(file))
    return found.tables(run, reader.reread, scene.layout, scene.models)


class Derived:
    """The tables of a log, derived chunk by chunk.

    Args:
        run: its folder.
        definitions: definitions of its log.
    """

    def __init__(self, run: Path, definitions: Definitions) -> None:
        self._run, self._definitions, self._file = run, definitions, definitions.file
        self._scene: RunRegistry | None = None
        self._deriver: Deriver | None = None

    def add(self, chunk: Chunk) -> States | None:
        """Add a chunk, and return its states; None if it has none, or the scene is not known yet.

        Raises:
            Exception: of any type, if a message does not match its definition.
        """
        if self._deriver is None:
            registries = self._definitions.messages(chunk, topics.REGISTRY.logged_name)
            if not registries:
                return None
            self._scene = RunRegistry(registries[-1])
            self._deriver = Deriver(self._file, self._definitions, self._scene)
        return self._deriver.add(chunk)

    def finish(self) -> None:
        """Complete the findings that were waiting for further states, if the log is complete."""
        if self._deriver is not None and self._file.complete:
            self._deriver.finish()

    @property
    def latest_ns(self) -> int:
        """The latest time so far."""
        return 0 if self._deriver is None else self._deriver.latest_ns

    def tables(self, states_at: Callable[[Place], States] | None = None) -> Tables:
        """Return the tables as far as they are known.

        Args:
            states_at: returns the states of a chunk; None: they are read again from the log.

        Raises:
            BadInput: if the log holds no state yet.
        """
        if self._scene is None or self._deriver is None or not self._deriver.pieces:
            raise no_scene(self._run)
        scene, reread = self._scene, states_at or self._deriver.reader.reread
        return self.found().tables(self._run, reread, scene.layout, scene.models)

    def found(self) -> DerivedTables:
        """Return all findings so far.

        Raises:
            BadInput: if the log holds no scene yet.
        """
        if self._deriver is None:
            raise no_scene(self._run)
        deriver, finished = self._deriver, self._file.complete
        until_ns = deriver.latest_ns if finished else deriver.known_until_ns
        given = parse_json(self._file.facts.get(FACTS, {}).get("given") or "{}")
        return DerivedTables.of(deriver, until_ns, finished, given)


class Follower:
    """Follows the log of a run.

    Args:
        run: its folder.

    Raises:
        BadInput: if the folder holds no log.
    """

    def __init__(self, run: Path) -> None:
        self._run = run
        self._begin()

    def _begin(self) -> None:
        self._file = LogFile(log_file(self._run))
        self._number = self._file.path.stat().st_ino
        self._derived = Derived(self._run, Definitions(self._file))

    def poll(self) -> Tables:
        """Read the additions to the log, and return the tables as far as they are known.

        Raises:
            BadInput: if the log cannot be read, or holds no state yet.
        """
        if self._is_replaced():
            self._begin()
        is_over = is_ended(self._run)
        with readable(self._file.path):
            for chunk in self._file.poll():
                self._derived.add(chunk)
            self._derived.finish()
        if self._file.damage or (is_over and not self._file.complete):
            raise truncated(self._file, self._derived.latest_ns)
        return self._derived.tables()

    def found(self) -> DerivedTables:
        """Return all findings so far.

        Raises:
            BadInput: if the log holds no scene yet.
        """
        return self._derived.found()

    def _is_replaced(self) -> bool:
        """Whether the log was replaced by another file, as after a recovery."""
        try:
            known = self._file.path.stat()
        except OSError as error:
            raise no_run(self._run) from error
        return known.st_ino != self._number or known.st_size < self._file.read_to


def _scene(run: Path, file: LogFile) -> RunRegistry:
    """Read the scene from the beginning of a log."""
    for chunk in file.poll():
        registries = Definitions(file).messages(chunk, topics.REGISTRY.logged_name)
        if registries:
            return RunRegistry(registries[-1])
    raise no_scene(run)
