"""What a page is shown of a run that goes on, whatever the run is and wherever it runs.

A feed is looked at, it sends nothing: who serves pages takes the newest state when a page can take one, and the
happenings that this page has not got yet. So a slow page costs no more than a fast one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import Layout
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
    """What is known when a run begins.

    Attributes:
        name: of the scenario.
        layout: entities and attributes.
        models: in the order in which owners count.
        able: names of the models that can be responsible, by the name of each attribute.
        duration_ns: when the run ends, if that is known.
        not_held: why the run can be neither paused nor stepped nor held to a pace; empty if it can.
    """

    name: str
    layout: Layout
    models: tuple[ModelRecord, ...]
    able: Mapping[str, tuple[str, ...]]
    duration_ns: int | None = None
    not_held: str = ""


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
    """What a happening is."""

    EVENT = "event"
    ACTION = "action"
    HANDOVER = "handover"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that has happened.

    Attributes:
        time_ns: when.
        kind: what it is.
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
        """What is known since the run has begun; None before."""

    @property
    def over(self) -> Over | None:
        """How it has ended; None as long as it has not."""

    def now(self) -> Now | None:
        """The newest state; None before there is one."""

    def happened(self, since: int) -> tuple[int, Sequence[Happening]]:
        """What has happened since, oldest first, as far as it is kept.

        Args:
            since: the number that the last call returned; 0 at first.
        """
