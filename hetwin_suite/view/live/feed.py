"""Data for pages of a run that goes on, whatever the run is and wherever it runs.

A feed is looked at, it sends nothing: who serves pages takes the newest state when a page can take one, and the
happenings that this page has not got yet. So a slow page costs no more than a fast one.
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
    """How far a run is."""

    WAITING = "waiting"
    """Its models are made ready."""
    PAUSED = "paused"
    RUNNING = "running"
    OVER = "over"


@dataclass(frozen=True, slots=True, eq=False)
class Begun:
    """Facts about a run at its begin.

    Attributes:
        name: of the scenario.
        layout: entities and attributes.
        models: in the order in which owners count.
        able: names of the models that can be responsible, by the name of each attribute.
        duration_ns: when the run ends, if that is known.
        not_held: why the run can be neither paused nor stepped nor held to a pace; empty if it can.
        buttons: event and arguments that each button of the scenario raises, by its caption.
    """

    name: str
    layout: Layout
    models: tuple[ModelRecord, ...]
    able: Mapping[str, tuple[str, ...]]
    duration_ns: int | None = None
    not_held: str = ""
    buttons: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Now:
    """The newest state.

    Attributes:
        time_ns: simulated time.
        values: (layout.size,) all attributes; poses and twists in the world frame.
        owners: (slots,) index of the responsible model.
        phase: paused, running, or over.
        factor: simulated time per wall time over the last seconds; None if it does not run.
        pace: the factor that it is held to at most; None: to none.
        lag_s: how far the twin of a live robot is behind it; None if the robot is not live.
        near: rows of `Snapshot.proximity`; None if they are not known.
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
    """Something that has happened.

    Attributes:
        time_ns: when.
        kind: of it.
        name: of the event or action, ``entity.attribute`` of a handover, level of a note.
        text: in words.
        entity: that it is about; may be empty.
        more: ``phase`` of an action; ``from`` and ``to`` of a handover; ``source`` of an event or note.
        said: the event or handover itself, for viewers that show more than words.
    """

    time_ns: int
    kind: HappeningKind
    name: str
    text: str
    entity: str = ""
    more: Mapping[str, str] = field(default_factory=dict)
    said: Event | Handover | None = None


@dataclass(frozen=True, slots=True)
class Over:
    """How a run has ended.

    Attributes:
        ended: see `RunSummary`; ``failed`` also if there is no summary.
        text: in words.
        deterministic: whether its digest claims that it can be repeated.
        folder: where its log is; empty if there is none.
    """

    ended: str
    text: str
    deterministic: bool = False
    folder: str = ""


class Feed(Protocol):
    """A run that is looked at; everything may be called from any thread."""

    @property
    def begun(self) -> Begun | None:
        """Facts since the run has begun; None before."""

    @property
    def over(self) -> Over | None:
        """How it has ended; None as long as it has not."""

    def now(self) -> Now | None:
        """The newest state; None before there is one."""

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """Happenings since, oldest first, as far as it is kept.

        Args:
            since: the number that the last call returned; 0 at first.
        """


SIZE = 64 * 1024 * 1024
"""Only written pages take up memory."""
_COUNTER, _TIME, _WAITS, _NEAR = range(4)
_FACTOR, _PACE, _LAG = range(4, 7)
_HEAD = 8
_MOST_NEAR = 1000
"""Rows of proximity; of more, these are kept."""
_TRIES = 1000


class Newest:
    """Memory for the newest state; made before the process of the run is forked."""

    def __init__(self) -> None:
        memory = memoryview(mmap.mmap(-1, SIZE))
        self._ints = memory[: _HEAD * 8].cast("q")
        self._floats = memory[: _HEAD * 8].cast("d")
        self._rest = memory[_HEAD * 8 :]
        self._values: Floats = np.empty(0)
        self._owners: Ints = np.empty(0, np.int32)
        self._near: Floats = np.empty((0, PROXIMITY_COLUMNS))

    def fit(self, layout: Layout) -> None:
        """Prepare for the states of a layout, in each process on its own.

        Raises:
            BadInput: if they are too large.
        """
        near = _MOST_NEAR * PROXIMITY_COLUMNS * 8
        split = near + layout.size * 8
        end = split + len(layout.slots) * 4
        if end > len(self._rest):
            raise BadInput(
                "these are more attributes than a page can be shown",
                where="--show",
                found=f"{end} bytes",
                expected=f"at most {len(self._rest)}",
            )
        self._near = np.frombuffer(self._rest[:near]).reshape(-1, PROXIMITY_COLUMNS)
        self._values = np.frombuffer(self._rest[near:split], np.float64)
        self._owners = np.frombuffer(self._rest[split:end], np.int32)

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
        """Copy a state into the memory; in the process of the run."""
        ints, floats = self._ints, self._floats
        ints[_COUNTER] += 1
        ints[_TIME] = time_ns
        ints[_WAITS] = waits
        floats[_FACTOR] = math.nan if factor is None else factor
        floats[_PACE] = math.nan if pace is None else pace
        floats[_LAG] = math.nan if lag_s is None else lag_s
        self._values[:] = values
        self._owners[:] = owners
        count = -1 if near is None else min(len(near), _MOST_NEAR)
        ints[_NEAR] = count
        if near is not None:
            self._near[:count] = near[:count]
        ints[_COUNTER] += 1

    def read(self) -> Now | None:
        """The newest state; None if there is none, or it is only half there however often one looks."""
        ints, floats = self._ints, self._floats
        for _ in range(_TRIES):
            before = ints[_COUNTER]
            if before == 0:
                return None
            if before % 2 == 0:
                factor, pace, lag_s = (
                    None if math.isnan(x) else x for x in floats[_FACTOR : _LAG + 1]
                )
                copied = Now(
                    ints[_TIME],
                    self._values.copy(),
                    self._owners.copy(),
                    Phase.PAUSED if ints[_WAITS] else Phase.RUNNING,
                    factor,
                    pace,
                    lag_s,
                    None if ints[_NEAR] < 0 else self._near[: ints[_NEAR]].copy(),
                )
                if ints[_COUNTER] == before:
                    return copied
            time.sleep(0)
        return None
