"""The result of comparing two runs, the runs themselves, and the pairing of things in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from math import radians
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.episode import Episode
from hetwin_suite.model import Json, Layout
from hetwin_suite.runs import handover_row
from hetwin_suite.tables import POSE, Floats, Interval, Tables, finished_tables
from hetwin_suite.viewer import ModelRecord

DISTANCE = 0.005
"""Bodies that are further from each other than this are apart [m]."""
ANGLE = radians(5.0)
"""Bodies that are turned against each other by more than this are apart [rad]."""
TOLERANCE_NS = 100_000_000
"""Events of both runs less than this apart are simultaneous: models step at other rates."""


class What(StrEnum):
    """Input of a run."""

    SCENE = "scene"
    RECORDING = "recording"
    MODEL = "model"
    PARAMETER = "parameter"
    TRIGGER = "trigger"
    SEED = "seed"
    ENGINE = "engine"
    RATE = "rate"


class Difference(NamedTuple):
    """Something that the two runs were given differently.

    Attributes:
        what: its kind.
        name: e.g. an entity, or a model's parameter as ``grasp.force``.
        here: the first run's; None for nothing.
        there: the other's.
    """

    what: What
    name: str
    here: Json
    there: Json


@dataclass(frozen=True, slots=True)
class Parting:
    """Where the runs part.

    Attributes:
        time_ns: when.
        entities: which ones it is about, the first to part first.
        here: the first run's; None for nothing.
        there: the other's.
    """

    time_ns: int
    entities: tuple[str, ...]
    here: Json
    there: Json

    def row(self) -> dict[str, Json]:
        """Return it as JSON, the time in s."""
        return {
            "time": self.time_ns / 1e9,
            "entities": list(self.entities),
            "here": self.here,
            "there": self.there,
        }


class Apart(NamedTuple):
    """How far an object is from where it is in the other run.

    Attributes:
        first_ns: when it was first more than `DISTANCE` or `ANGLE` off; None for never.
        most: the greatest distance [m].
        end: the last distance [m].
    """

    first_ns: int | None
    most: float
    end: float

    def row(self) -> dict[str, Json]:
        """Return it as JSON, the time in s."""
        first = None if self.first_ns is None else self.first_ns / 1e9
        return {"first": first, "most": self.most, "end": self.end}


@dataclass(frozen=True, slots=True)
class Divergence:
    """Where the runs first part: in their states, occasions, events, tasks, and in the robot's beliefs."""

    state: Parting | None = None
    occasion: Parting | None = None
    event: Parting | None = None
    task: Parting | None = None
    belief: Parting | None = None

    def row(self) -> dict[str, Json]:
        """Return it as JSON."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if part is None else part.row() for name, part in parts.items()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs compared, the first called here, the other there.

    Attributes:
        divergence: where they first part; differences in the first state count as given.
        given: differences before the first step.
        chain: sentences from the difference to the outcome.
        objects: how far each object of both runs is off.
        only_here: handovers of the first run alone, as the summary has them.
        only_there: those of the other alone.
        from_ns: beginning of the time that both runs cover.
        to_ns: its end.
        noise: how far each object spreads in futures of the first run by the time when it is off [m]; empty if that was
            not asked for.
    """

    divergence: Divergence
    given: tuple[Difference, ...]
    chain: tuple[str, ...]
    objects: Mapping[str, Apart]
    only_here: tuple[Mapping[str, Json], ...]
    only_there: tuple[Mapping[str, Json], ...]
    from_ns: int
    to_ns: int
    noise: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return it as `hetwin compare --json` prints it; times in s."""
        return {
            "divergence": self.divergence.row(),
            "given": [_plain(item._asdict()) for item in self.given],
            "chain": list(self.chain),
            "objects": {name: apart.row() for name, apart in self.objects.items()},
            "handovers": {
                "only_here": [dict(row) for row in self.only_here],
                "only_there": [dict(row) for row in self.only_there],
            },
            "compared": [self.from_ns / 1e9, self.to_ns / 1e9],
            "noise": dict(self.noise),
        }


def _plain(row: dict[str, Any]) -> dict[str, Json]:
    return {**row, "what": row["what"].value}


@dataclass(frozen=True)
class Side:
    """The compared parts of a run.

    Attributes:
        tables: occasions, events, tasks, beliefs and poses.
        models: in the scenario's order.
        handovers: rows as in the summary.
        given: the run's input; empty if its log lacks it.
        facts: scenario file, source, seed and rate, as texts.
        summary: summary of the run; empty if it has none.
    """

    tables: Tables
    models: tuple[ModelRecord, ...]
    handovers: Sequence[Mapping[str, Json]]
    given: Mapping[str, Any]
    facts: Mapping[str, str]
    summary: Mapping[str, Any]

    @property
    def layout(self) -> Layout:
        """Entities and attributes."""
        return self.tables.layout

    @cached_property
    def first(self) -> Floats:
        """(layout.size,) the first state."""
        return self.values_at(self.tables.start_ns)

    def states(self, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        """Return (n,) times [ns] and (n, layout.size) values of the states in an interval."""
        found = [(times.copy(), values.copy()) for times, values in self.tables.poses.states(span)]
        times = np.concatenate([np.empty(0, np.int64), *(part for part, _ in found)])
        values = np.concatenate([np.empty((0, self.layout.size)), *(part for _, part in found)])
        return times, values

    def values_at(self, time_ns: int) -> Floats:
        """Return (layout.size,) the last state that is not later; the first for times before it."""
        return self.tables.poses.snapshot(time_ns).values.copy()

    def has(self, entity: str) -> bool:
        """Whether the scene has such an entity with a pose."""
        return self.layout.has(entity, POSE.name)


def open_side(run: Path) -> Side:
    """Read a run.

    Raises:
        BadInput: if there is no run in the folder, it is not over, or it cannot be read.
    """
    tables = finished_tables(run)
    episode = Episode.open(run)
    return Side(
        tables=tables,
        models=episode.models,
        handovers=[handover_row(handover) for handover in episode.handovers],
        given=episode.given,
        facts=episode.description,
        summary=episode.summary,
    )


Row = TypeVar("Row")


def unpaired(
    here: Sequence[Row],
    there: Sequence[Row],
    key: Callable[[Row], Hashable],
    time_ns: Callable[[Row], int],
    tolerance_ns: int = TOLERANCE_NS,
) -> tuple[list[Row], list[Row]]:
    """Return the rows of each run that the other does not have at nearly the same time, in order of time.

    Args:
        here: rows of the first run.
        there: rows of the other.
        key: equal for two rows that are the same.
        time_ns: when a row happened.
        tolerance_ns: how far apart the same may happen.
    """
    waiting: dict[Hashable, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((here, there)):
        for row in sorted(rows, key=time_ns):
            waiting[key(row)][side].append(row)
    alone: tuple[list[Row], list[Row]] = ([], [])
    for ones, others in waiting.values():
        while ones and others:
            apart = time_ns(ones[0]) - time_ns(others[0])
            if abs(apart) <= tolerance_ns:
                ones.pop(0)
                others.pop(0)
            else:
                side = 0 if apart < 0 else 1
                alone[side].append((ones, others)[side].pop(0))
        alone[0].extend(ones)
        alone[1].extend(others)
    return sorted(alone[0], key=time_ns), sorted(alone[1], key=time_ns)
