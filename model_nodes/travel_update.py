"""Learns from the link's log how fast the real robot is, and gives the virtual one the same speeds and lag."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from pydantic import Field

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.link_words import LOGGED, MODEL_UPDATED
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, Parameters, parameter
from hetwin_core.ensemble.validation import Name, Strict, Text
from hetwin_core.kinematics.travel import Lap, TravelFit, TravelModel, travel_model

FACTORS = ("turn_speed", "turn_acceleration", "speed", "acceleration")
LAG = "lag"
_MOST_OFF = 3.0
"""No factor of a parameter is larger, and none smaller than its inverse: fewer laps than that say nothing."""


class Sheet(Strict):
    """Speeds, accelerations and lag of the virtual robot at the start."""

    turn_speed: Amount = Field(gt=0)
    turn_acceleration: Amount = Field(gt=0)
    speed: Amount = Field(gt=0)
    acceleration: Amount = Field(gt=0)
    lag: Amount = 0.0


class Settings(Parameters):
    """The parameters of the model."""

    link: Name = parameter("model whose log it learns from", "link")
    after: int = parameter(
        "it learns once, when so many moves are logged that both robots did", ge=6
    )
    answer: Text = parameter("what a robot answers to a move that it has done", "done")
    sheet: Sheet = parameter(
        "of the virtual robot at the start: turn_speed, turn_acceleration, speed, acceleration, lag"
    )


class TravelUpdate(Model[Settings]):
    """Fits travel times to the moves of both robots, and says which parameters make the virtual one as fast.

    What the fit of the virtual robot's own moves says of its known parameters is used to put the other fit right: so
    a controller that is not quite a trapezoid in time does not matter.
    """

    summary = "Learns travel times from the log of a link, and updates the virtual robot's speeds and lag."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        MODEL_UPDATED: "the virtual robot is to have other speeds: rows, turn_speed, turn_acceleration, speed,"
        " acceleration, lag, and sd of the fit by name",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read the data sheet."""
        self._laps: list[Lap] = []
        self._learned = False
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Keep what was logged; learn when there is enough."""
        changes = tick.changes()
        for event in tick.events:
            if event.source == self.settings.link and event.name == LOGGED:
                lap = lap_of(event.arguments, self.settings.answer)
                self._laps += [] if lap is None else [lap]
        if not self._learned and len(self._laps) >= self.settings.after:
            self._learned = True
            changes.event(MODEL_UPDATED, **self._update())
        return changes

    def _update(self) -> dict[str, Json]:
        real = travel_model(self._laps)
        virtual = travel_model([Lap(*lap[:2], lap.virtual, None) for lap in self._laps])
        said: dict[str, Json] = {"rows": len(self._laps)}
        said |= updated(self.settings.sheet.model_dump(), self._laps, real, virtual)
        return said | {"sd": {name: _finite(value) for name, value in real.sd.items()}}


def lap_of(row: Mapping[str, Json], answer: str) -> Lap | None:
    """Return what a row of the log says of a move that both robots did; None if it is of no such move."""
    numbers = [row.get(name) for name in ("rotation", "displacement", "lap_real", "lap_virtual")]
    if row.get("alarms") or row.get("answer") != answer:
        return None
    rotation, displacement, real, virtual = (
        float(n) if isinstance(n, int | float) else None for n in numbers
    )
    if rotation is None or displacement is None or real is None or virtual is None:
        return None
    return Lap(rotation, displacement, real, virtual)


def updated(
    sheet: Mapping[str, float], laps: Sequence[Lap], real: TravelFit, virtual: TravelFit
) -> dict[str, float]:
    """Return the parameters that make the virtual robot as fast as the real one.

    Args:
        sheet: the virtual robot's parameters.
        laps: moves that both did.
        real: fit of the real robot's moves.
        virtual: fit of the virtual robot's own moves.
    """
    wanted, found = real.parameters, virtual.parameters
    new = {
        name: sheet[name] * min(max(wanted[name] / found[name], 1.0 / _MOST_OFF), _MOST_OFF)
        for name in FACTORS
    }
    longer = _rest([lap.real for lap in laps], laps, new)
    usual = _rest([lap.virtual for lap in laps], laps, sheet)
    return new | {LAG: max(0.0, sheet[LAG] + longer - usual)}


def _rest(times: Sequence[float | None], laps: Sequence[Lap], speeds: Mapping[str, float]) -> float:
    """Median of what the laps of a robot last longer than its moves would without any lag [s]."""
    moves = TravelModel(**{name: speeds[name] for name in FACTORS}, lag=0.0)
    commands = np.array([lap[:2] for lap in laps], np.float64)
    return float(np.median(np.array(times, np.float64) - moves.times(commands)))


def _finite(value: float) -> float | None:
    return value if value - value == 0.0 else None
