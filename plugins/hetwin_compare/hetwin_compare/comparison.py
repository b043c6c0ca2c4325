"""The result of a comparison, the compared parts of a run, and the pairing of their rows."""

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
"""Positions of a body that differ by more than this count as different [m]."""
ANGLE = radians(5.0)
"""Orientations of a body that differ by more than this count as different [rad]."""
TOLERANCE_NS = 100_000_000
"""Events less than this apart count as simultaneous, since the models of the runs may step at different rates."""


class What(StrEnum):
    """Kind of input of a run."""

    SCENE = "scene"
    RECORDING = "recording"
    MODEL = "model"
    PARAMETER = "parameter"
    TRIGGER = "trigger"
    SEED = "seed"
    ENGINE = "engine"
    RATE = "rate"


class Difference(NamedTuple):
    """A difference of the inputs of two runs.

    Attributes:
        what: kind of input.
        name: e.g. an entity, or a parameter of a model as ``grasp.force``.
        here: value in the first run; None if missing.
        there: value in the other run; None if missing.
    """

    what: What
    name: str
    here: Json
    there: Json


@dataclass(frozen=True, slots=True)
class Parting:
    """A divergence of two runs.

    Attributes:
        time_ns: simulated time [ns].
        entities: entities that differ, the first to differ first.
        here: state or fact of the first run; None if missing.
        there: state or fact of the other run; None if missing.
    """

    time_ns: int
    entities: tuple[str, ...]
    here: Json
    there: Json

    def row(self) -> dict[str, Json]:
        """Return the JSON representation, with the time in s."""
        return {
            "time": self.time_ns / 1e9,
            "entities": list(self.entities),
            "here": self.here,
            "there": self.there,
        }


class Apart(NamedTuple):
    """The distance between the positions of an object in two runs.

    Attributes:
        first_ns: time at which the poses first differ by more than `DISTANCE` or `ANGLE` [ns]; None: never.
        most: maximum distance [m].
        end: distance at the end [m].
    """

    first_ns: int | None
    most: float
    end: float

    def row(self) -> dict[str, Json]:
        """Return the JSON representation, with the time in s."""
        first = None if self.first_ns is None else self.first_ns / 1e9
        return {"first": first, "most": self.most, "end": self.end}


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first divergence in states, occasions, events, tasks, and the robot's beliefs."""

    state: Parting | None = None
    occasion: Parting | None = None
    event: Parting | None = None
    task: Parting | None = None
    belief: Parting | None = None

    def row(self) -> dict[str, Json]:
        """Return the JSON representation."""
        parts = {name: getattr(self, name) for name in self.__slots__}
        return {name: None if part is None else part.row() for name, part in parts.items()}


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two runs; the first is called here, the other there.

    Attributes:
        divergence: first divergences; differences of the initial state count as input.
        given: differences of the inputs.
        chain: sentences that lead from the first difference to the outcome.
        objects: distances of the objects of both runs.
        only_here: handovers of the first run alone, as rows of the summary.
        only_there: handovers of the other run alone.
        from_ns: start of the time that both runs cover.
        to_ns: end of the time that both runs cover.
        noise: object -> its spread in futures of the first run when its poses first differ [m]; empty if not requested.
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
        """Return the JSON that `hetwin compare --json` prints; times in s."""
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
        models: models in the scenario's order.
        handovers: handovers as rows of the summary.
        given: input of the run; empty if its log lacks it.
        facts: scenario file, source, seed and rate, as text.
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
        """(layout.size,) values of the initial state."""
        return self.values_at(self.tables.start_ns)

    def states(self, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        """Return (n,) times [ns] and (n, layout.size) values of the states in an interval."""
        found = [(times.copy(), values.copy()) for times, values in self.tables.poses.states(span)]
        times = np.concatenate([np.empty(0, np.int64), *(part for part, _ in found)])
        values = np.concatenate([np.empty((0, self.layout.size)), *(part for _, part in found)])
        return times, values

    def values_at(self, time_ns: int) -> Floats:
        """Return (layout.size,) values of the last state at or before a time; of the first state for earlier times."""
        return self.tables.poses.snapshot(time_ns).values.copy()

    def has(self, entity: str) -> bool:
        """Whether the scene has an entity of this name with a pose."""
        return self.layout.has(entity, POSE.name)


def open_side(run: Path) -> Side:
    """Read the compared parts of a run.

    Raises:
        BadInput: if the folder holds no run, or the run is not over or cannot be read.
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
    """Return the rows of each run without a simultaneous counterpart in the other run, ordered by time.

    Args:
        here: rows of the first run.
        there: rows of the other run.
        key: returns equal keys for rows that are counterparts.
        time_ns: returns the time of a row [ns].
        tolerance_ns: maximum time between counterparts [ns].
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
