"""What the comparison of two runs has found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from math import radians
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import Json

DISTANCE = 0.005
"""Bodies that are further from each other than this are apart [m]."""
ANGLE = radians(5.0)
"""Bodies that are turned against each other by more than this are apart [rad]."""
TOLERANCE_NS = 100_000_000
"""What happens in both runs less than this apart happens at the same time: models step at other rates."""


class What(StrEnum):
    """What a run was given."""

    SCENE = "scene"
    RECORDING = "recording"
    MODEL = "model"
    PARAMETER = "parameter"
    TRIGGER = "trigger"
    SEED = "seed"
    ENGINE = "engine"
    RATE = "rate"


class Differing(NamedTuple):
    """Something that the two runs were given differently.

    Attributes:
        what: it is.
        name: e.g. an entity, or a model's parameter as ``grasp.force``.
        here: what the first run was given; None for nothing.
        there: what the other was given.
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
        here: what the first run has there; None for nothing.
        there: what the other has.
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
    """Where the runs first part: in their states, occasions, events, tasks, and in what the robot believed."""

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
        divergence: where they first part; what differs in the first state counts as given.
        given: what differs before the first step.
        chain: what leads from the difference to the outcome, in words.
        objects: how far each object of both runs is off.
        only_here: handovers of the first run alone, as the summary has them.
        only_there: those of the other alone.
        from_ns: beginning of the time that both runs cover.
        to_ns: its end.
        noise: how far each object spreads in futures of the first run by the time when it is off [m]; empty if that was
            not asked for.
    """

    divergence: Divergence
    given: tuple[Differing, ...]
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
