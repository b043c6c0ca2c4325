"""Data of a live run for pages and viewers, independent of where the run is computed.

A feed is polled. A server reads the newest state when a page can receive one, and the happenings that the page has not
received yet. Therefore a slow page costs no more than a fast one.
"""

from __future__ import annotations

import math
import mmap
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

import numpy as np

from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import Floats, Ints


class Phase(StrEnum):
    """State of a run."""

    WAITING = "waiting"
    """Its models are being initialized."""
    PAUSED = "paused"
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True, eq=False)
class RunFacts:
    """Facts about a run that are known from its start on.

    Attributes:
        name: name of the scenario.
        layout: entities and attributes.
        models: models; owners are indices into this tuple.
        able: attribute -> names of the models that can be responsible for it.
        duration_ns: simulated time at which the run ends [ns]; None if unknown.
        not_held: why the run can be neither paused nor stepped nor limited to a pace; empty if it can.
        buttons: caption of a button of the scenario -> event that it raises, with its arguments.
    """

    name: str
    layout: Layout
    models: tuple[ModelRecord, ...]
    able: Mapping[str, tuple[str, ...]]
    duration_ns: int | None = None
    not_held: str = ""
    buttons: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class LiveState:
    """The newest state.

    Attributes:
        time_ns: simulated time [ns].
        values: (layout.size,) all attributes; poses and twists in the world frame.
        owners: (slots,) index of the responsible model.
        phase: paused, running, or over.
        factor: real-time factor over the last seconds; None if the run is not running.
        pace: maximum real-time factor; None: no limit.
        lag_s: lag of the twin behind a live robot [s]; None if the robot is not live.
        near: rows of `Snapshot.proximity`; None if unknown.
    """

    time_ns: int
    values: Floats
    owners: Ints
    phase: Phase = Phase.OVER
    factor: float | None = None
    pace: float | None = None
    lag_s: float | None = None
    near: Floats | None = None


class HappeningKind(StrEnum):
    """Kinds of happenings."""

    EVENT = "event"
    ACTION = "action"
    HANDOVER = "handover"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Happening:
    """An event, an action, a handover or a note.

    Attributes:
        time_ns: simulated time [ns].
        kind: kind of the happening.
        name: name of the event or action; ``entity.attribute`` of a handover; level of a note.
        text: description in words.
        entity: entity concerned; may be empty.
        more: ``phase`` of an action; ``from``, ``to`` and ``cause`` of a handover; ``source`` of an event or note.
        said: the event or handover itself, for viewers that show more than its description; None for a note.
    """

    time_ns: int
    kind: HappeningKind
    name: str
    text: str
    entity: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    said: Event | Handover | None = None


@dataclass(frozen=True, slots=True)
class RunEnd:
    """The end of a run.

    Attributes:
        ended: see `RunSummary`; also ``failed`` if there is no summary.
        text: description of the end.
        deterministic: whether its digest is reproducible.
        folder: folder of its log; empty if there is none.
    """

    ended: str
    text: str
    deterministic: bool = False
    folder: str = ""


class Feed(Protocol):
    """Data of a run; all members may be used from any thread."""

    @property
    def begun(self) -> RunFacts | None:
        """Facts about the run; None before it has begun."""

    @property
    def over(self) -> RunEnd | None:
        """The end of the run; None before it has ended."""

    def now(self) -> LiveState | None:
        """Return the newest state; None before there is one."""

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """Return the number of all happenings, and the stored ones after number `since`, oldest first.

        Args:
            since: the number that the last call returned; 0 at first.
        """


SIZE = 64 * 1024 * 1024
"""Size of the shared memory [bytes]; the system allocates only pages that are written."""
_COUNTER, _TIME, _WAITS, _NEAR = range(4)
_FACTOR, _PACE, _LAG = range(4, 7)
_HEAD = 8
_MAX_NEAR = 1000
"""Maximum number of rows of proximity; further rows are dropped."""
_MAX_ATTEMPTS = 1000


class SharedState:
    """Shared memory for the newest state; created before the process of the run is forked."""

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, SIZE))
        self._ints = memory[: _HEAD * 8].cast("q")
        self._floats = memory[: _HEAD * 8].cast("d")
        self._body = memory[_HEAD * 8 :]
        self._values: Floats = np.empty(0)
        self._owners: Ints = np.empty(0, np.int32)
        self._near: Floats = np.empty((0, PROXIMITY_COLUMNS))

    def set_layout(self, layout: Layout) -> None:
        """Prepare for the states of a layout; called in each process.

        Raises:
            BadInput: if the states are larger than the memory.
        """
        near = _MAX_NEAR * PROXIMITY_COLUMNS * 8
        split = near + layout.size * 8
        end = split + len(layout.slots) * 4
        if end > len(self._body):
            raise BadInput(
                "the scene has more attributes than a page can show",
                where="--show",
                found=f"{end} bytes",
                expected=f"at most {len(self._body)}",
            )
        self._near = np.frombuffer(self._body[:near]).reshape(-1, PROXIMITY_COLUMNS)
        self._values = np.frombuffer(self._body[near:split], np.float64)
        self._owners = np.frombuffer(self._body[split:end], np.int32)

    def write(
        self,
        time_ns: int,
        values: Floats,
        owners: Ints,
        *,
        waits: bool,
        factor: float | None,
        pace: float | None,
        lag_s: float | None,
        near: Floats | None = None,
    ) -> None:
        """Copy a state into the memory; called in the process of the run.

        Args:
            waits: whether the run is paused.
            time_ns, values, owners, factor, pace, lag_s, near: see `LiveState`.
        """
        ints, floats = self._ints, self._floats
        ints[_COUNTER] += 1
        ints[_TIME] = time_ns
        ints[_WAITS] = waits
        floats[_FACTOR] = math.nan if factor is None else factor
        floats[_PACE] = math.nan if pace is None else pace
        floats[_LAG] = math.nan if lag_s is None else lag_s
        self._values[:] = values
        self._owners[:] = owners
        count = -1 if near is None else min(len(near), _MAX_NEAR)
        ints[_NEAR] = count
        if near is not None:
            self._near[:count] = near[:count]
        ints[_COUNTER] += 1

    def read(self) -> LiveState | None:
        """Return the newest state; None if there is none, or if all attempts meet a write in progress."""
        ints, floats = self._ints, self._floats
        for _ in range(_MAX_ATTEMPTS):
            counter = ints[_COUNTER]
            if counter == 0:
                return None
            if counter % 2 == 0:
                factor, pace, lag_s = (
                    None if math.isnan(x) else x for x in floats[_FACTOR : _LAG + 1]
                )
                state = LiveState(
                    ints[_TIME],
                    self._values.copy(),
                    self._owners.copy(),
                    Phase.PAUSED if ints[_WAITS] else Phase.RUNNING,
                    factor,
                    pace,
                    lag_s,
                    None if ints[_NEAR] < 0 else self._near[: ints[_NEAR]].copy(),
                )
                if ints[_COUNTER] == counter:
                    return state
            time.sleep(0)
        return None
