"""Writes a run to its folder: a bag with the selected states and all events, and the summary."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from copy import copy
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import (
    Handover,
    RunListener,
    RunStart,
    RunSummary,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import NO_PROXIMITY, PROXIMITY, Snapshot, Table
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.topics import Encoded
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.ensemble.writing import writing
from hetwin_core.episodes import run_messages
from hetwin_core.episodes.bag import LogBag
from hetwin_core.episodes.encoder import RunEncoder
from hetwin_core.episodes.markers import owner_marker
from hetwin_core.episodes.run_folder import LOG, check_free, write_summary
from hetwin_core.episodes.run_messages import encoded_message


class PeriodicTimer:
    """A periodic timer in simulated time.

    Args:
        period_ns: its period.
        first_ns: first time at which it is due.

    Attributes:
        next_ns: next time at which it is due.
    """

    def __init__(self, period_ns: int, first_ns: int = 0) -> None:
        self._period, self.next_ns = period_ns, first_ns

    def take(self, now_ns: int) -> bool:
        """Return whether it is due; if so, schedule it for the next multiple of its period."""
        if now_ns < self.next_ns:
            return False
        self.next_ns = self.after(now_ns)
        return True

    def after(self, now_ns: int) -> int:
        """Next due time if `take` is called at `now_ns` [ns]."""
        if now_ns < self.next_ns:
            return self.next_ns
        return self.next_ns + self._period * ((now_ns - self.next_ns) // self._period + 1)


class RecordedState(NamedTuple):
    """A state of a run, with the fields of a `Snapshot`."""

    time_ns: int
    step: int
    values: Floats
    owners: Ints
    parents: Ints
    near: Table

    @staticmethod
    def of(step: int, scene: Snapshot) -> RecordedState:
        """Return the state after a step, sharing the scene's arrays."""
        near = scene.tables.get(PROXIMITY, NO_PROXIMITY)
        return RecordedState(scene.time_ns, step, scene.values, scene.owners, scene.parents, near)

    def copied(self) -> RecordedState:
        """Return a copy with its own arrays."""
        values, owners, parents = self.values.copy(), self.owners.copy(), self.parents.copy()
        return RecordedState(self.time_ns, self.step, values, owners, parents, self.near)


class StateSelector:
    """Selects the states to write.

    These are the first and the last, those at a rate, and those of steps with an event or handover.

    Args:
        rate: states per simulated second.

    Attributes:
        happened: whether there was an event or handover since the last step.
    """

    def __init__(self, rate: float) -> None:
        self._period = round(1e9 / rate)
        self._due = PeriodicTimer(self._period)
        self._last: RecordedState | None = None
        self.happened = False

    def next_ns(self, now_ns: int) -> int:
        """Next time after `now_ns` at which the rate requires a state [ns]."""
        return self._due.after(now_ns)

    def first(self, scene: Snapshot) -> RecordedState:
        """Return the first state."""
        self._due = PeriodicTimer(self._period, scene.time_ns + self._period)
        return RecordedState.of(0, scene)

    def take(self, step: int, scene: Snapshot) -> RecordedState | None:
        """Return the state after a step if it is due; else remember it, because it may be the last one."""
        now = scene.time_ns
        if now >= self._due.next_ns or self.happened:
            self._due.take(now)
            self._last, self.happened = None, False
            return RecordedState.of(step, scene)
        self._last = RecordedState.of(step, scene).copied()
        return None

    def take_last(self) -> RecordedState | None:
        """Return the remembered last state, and forget it; None if it was written already."""
        last, self._last = self._last, None
        return last

    def copied(self) -> StateSelector:
        """Return an independent copy."""
        other = StateSelector(1.0)
        other.__dict__.update(self.__dict__, _due=copy(self._due))
        return other

    def __getstate__(self) -> dict[str, Any]:
        """Return the state from which another process continues."""
        last = self._last
        if last is not None:
            last = last._replace(near=last.near.copied())
        return {**self.__dict__, "_last": last}


_RESERVED_BYTES = 4 * 2**20
"""Disk space reserved for the last chunk, the end of the log and the summary [bytes]."""
_REPETITION_NS = 1_000_000_000
"""Period at which resting frames and particles are written again, for readers that start in the middle [ns]."""
_EVENT_FLUSH_S = 0.5
_FLUSH_S = 2.0
"""Maximum times until events and other messages reach the disk [s]; many small chunks would make the file large."""


class RunLog(RunListener):
    """Listens to a run and writes ``<out>/log`` (rosbag2, MCAP) and ``<out>/summary.json``.

    The warnings of `RunStart` are not written separately: the conductor publishes them as notes too. Stamps and log
    times are simulated time since the start of the run. A late event keeps its stamp; its log time is that of the
    step before the one that handled it, so that log times never decrease.

    Args:
        out: folder of the run; made with its parents when the run starts.
        state_rate: states per simulated second. The first and the last state, and that of every step with an event
            or a handover, are always written.
        transform_rate: maximum number of messages on ``/tf``, and of contacts, per simulated second. If
            nothing moved, messages are omitted for at most a second. If states are more frequent, a message is
            written with the first state at or after its due time.

    Raises:
        BadInput: if the folder already holds a run or cannot be written to; nothing is changed in this case.
    """

    def __init__(
        self, out: Path, *, state_rate: float = 100.0, transform_rate: float = 30.0
    ) -> None:
        for name, rate in (("state_rate", state_rate), ("transform_rate", transform_rate)):
            if not 0.0 < rate <= 1e6:
                raise BadInput(
                    "a rate of the log is out of range",
                    where=name,
                    found=rate,
                    expected="more than 0 and at most 1e6 per second",
                )
        check_free(out)
        self.out = out
        self._states = StateSelector(state_rate)
        self._frames_between_states = transform_rate > state_rate
        self._transforms, self._contacts = (
            PeriodicTimer(round(1e9 / transform_rate)) for _ in range(2)
        )
        self._repetition = PeriodicTimer(_REPETITION_NS)
        self._bag: LogBag | None = None
        self._now = 0
        self._owners_changed_ns: int | None = None
        self._flushed = 0.0

    @property
    def log(self) -> Path:
        """Folder of the bag."""
        return self.out / LOG

    def started(self, start: RunStart) -> None:
        """Open the bag and write the registry, the table of responsibilities and the first state.

        Raises:
            BadInput: if the folder cannot be written to.
        """
        check_free(self.out)
        with writing("the run", self.out):
            self.out.mkdir(parents=True, exist_ok=True)
        self._encoder = RunEncoder(start.layout, start.models)
        self._main = next((model.name for model in start.models if model.main), "")
        self._labelled = {entity.name for entity in start.layout.of_kind(EntityKind.OBJECT)}
        self._bag = LogBag(self.log, room=_RESERVED_BYTES)
        described = (
            topics.robot_topic(topics.ROBOT_DESCRIPTION, name) for name in start.robot_descriptions
        )
        for topic in (*self._encoder.topics, *described):
            self._bag.offer(topic)
        self._bag.describe(
            scenario_file=start.scenario_file,
            source=start.source,
            seed=str(start.seed),
            rate=repr(start.rate),
            given=json.dumps(start.given, separators=(",", ":")),
        )
        self._write_start(start)
        self._bag.flush(self._now)  # so that the log can be read however the run ends
        self._flushed = time.monotonic() - _EVENT_FLUSH_S

    def stepped(self, step: int, scene: Snapshot) -> None:
        """Write the state if it is due, else remember it, because it may be the last one."""
        self._now = now = scene.time_ns
        has_event = self._states.happened
        state = self._states.take(step, scene)
        if state is not None:
            self._write_state(state)
        with_state = state is not None or self._frames_between_states
        if with_state and now >= self._transforms.next_ns:
            self._transforms.take(now)
            self._write_transforms(now, scene.values)
        if self._encoder.has_scans:
            self._write(self._encoder.scans(now, scene.values))
        if state is not None:
            self._flush(_EVENT_FLUSH_S if has_event else _FLUSH_S)

    def next_ns(self, now_ns: int) -> int:
        """Next time at which a state, frames or scans are due."""
        if self._encoder.has_scans:
            return now_ns
        states_ns = self._states.next_ns(now_ns)
        return (
            min(states_ns, self._transforms.after(now_ns))
            if self._frames_between_states
            else states_ns
        )

    def event(self, event: Event) -> None:
        """Write an event; for one of the robot's program, also the action annotation or the task."""
        self._states.happened = True
        self._write(run_messages.event(event))

    def belief(self, event: Event) -> None:
        """Write a belief; no state is written for it."""
        self._write([self._encoder.belief(event)])

    def handover(self, handover: Handover) -> None:
        """Write a handover; the new table follows with the step's state."""
        self._states.happened = True
        entity, time_ns = handover.entity, handover.time_ns
        self._encoder.owners[entity, handover.attribute] = handover.to_model
        self._owners_changed_ns = time_ns
        messages = [run_messages.handover(handover)]
        if handover.attribute == "pose" and entity in self._labelled:
            owner = None if handover.to_model == self._main else handover.to_model
            label = owner_marker(time_ns, entity, owner)
            messages.append(encoded_message(topics.MARKERS, time_ns, label))
        self._write(messages)

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Write a note to ``/diagnostics``."""
        self._write([run_messages.note(time_ns, level, source, text)])

    def ended(self, summary: RunSummary) -> None:
        """Finish the log, then write the summary, which marks the log as complete.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        if self._bag is not None:
            self._bag.release_space()
        try:
            if summary.error is not None:
                self._note_failure(summary)
        finally:
            self.close()
        write_summary(self.out, summary)

    def close(self) -> None:
        """Write the remembered state and finish the bag; a second call does nothing.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        bag, last = self._bag, self._states.take_last()
        if bag is None:
            return
        bag.release_space()
        try:
            if last is not None:
                self._write_state(last._replace(near=last.near.after_run()))
            elif self._owners_changed_ns is not None:
                self._write([self._encoder.responsibilities(self._owners_changed_ns)])
        finally:
            self._bag = None
            bag.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _flush(self, period_s: float) -> None:
        """Write everything so far to the disk, unless this was done within the period [s]."""
        now = time.monotonic()
        if self._bag is not None and now - self._flushed > period_s:
            self._flushed = now
            self._bag.flush(self._now)

    def _write(self, messages: Iterable[Encoded]) -> None:
        """Write messages; the log time of a late one is the current time."""
        if self._bag is not None:
            self._bag.write(messages, self._now)

    def _write_start(self, start: RunStart) -> None:
        """Write the constant parts, including shapes in the frames of their entities, and the first state."""
        self._now = now = start.snapshot.time_ns
        values = start.snapshot.values
        self._write(self._encoder.start(start))
        self._encoder.set_owners(start.snapshot.owners)
        self._write([self._encoder.responsibilities(now)])
        self._write_state(self._states.first(start.snapshot))
        self._write(self._encoder.fixed_frames(now, values))
        self._write(self._encoder.shapes(now))
        self._transforms.take(now)
        self._write_transforms(now, values)
        self._write(self._encoder.scans(now, values))

    def _write_state(self, state: RecordedState) -> None:
        """Write a state, after the table of owners if that has changed."""
        near = state.near.rows()
        time_ns, values, messages = state.time_ns, state.values, list[Encoded]()
        if self._owners_changed_ns is not None:
            messages.append(self._encoder.responsibilities(self._owners_changed_ns))
            self._owners_changed_ns = None
        messages.append(self._encoder.state(*state[:5], near))
        if time_ns >= self._contacts.next_ns:
            self._contacts.take(time_ns)
            messages += self._encoder.contacts(time_ns, near)
        self._write([*messages, *self._encoder.robots(time_ns, values)])

    def _write_transforms(self, time_ns: int, values: Floats) -> None:
        """Write all frames if one has moved, and all particles if one has; both periodically without motion."""
        is_repeated = self._repetition.take(time_ns)
        self._write(self._encoder.frames(time_ns, values, if_moved=not is_repeated))
        self._write(self._encoder.particles(time_ns, values, if_moved=not is_repeated))

    def _note_failure(self, summary: RunSummary) -> None:
        error = summary.error or {}
        text = failure_row_words(error, with_model=False)
        self.note(self._now, "error", str(error.get("model", "run")), text)
