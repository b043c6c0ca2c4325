"""Learns speeds and lag of the real robot from the link's log, and applies them to the virtual one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from hetwin_calibration.travel.model import Lap, TravelModel, adjusted
from hetwin_suite.model import (
    Amount,
    Changes,
    Contribution,
    Json,
    Model,
    Name,
    Parameters,
    Strict,
    Text,
    Tick,
    parameter,
)
from hetwin_twin_lab.event_names import LOGGED, MODEL_UPDATED


class DataSheet(Strict):
    """Speeds, accelerations and lag of the virtual robot at the start."""

    turn_speed: Amount = Field(gt=0)
    turn_acceleration: Amount = Field(gt=0)
    speed: Amount = Field(gt=0)
    acceleration: Amount = Field(gt=0)
    lag: Amount = 0.0


class Settings(Parameters):
    """The parameters of the model."""

    link: Name = parameter("model whose log is used", "link")
    after: int = parameter(
        "number of logged moves of both robots after which it learns, once", ge=6
    )
    answer: Text = parameter("answer of a robot to a completed move", "done")
    sheet: DataSheet = parameter(
        "parameters of the virtual robot: turn_speed, turn_acceleration, speed, acceleration, lag"
    )


class TravelUpdate(Model[Settings]):
    """Fits travel times to the moves of both robots, and raises the parameters that make the virtual one as fast."""

    summary = "Learns travel times from the log of a link, and updates the virtual robot's speeds and lag."
    rate = 20.0
    raises: ClassVar[Mapping[str, str]] = {
        MODEL_UPDATED: "the virtual robot gets new parameters: rows, turn_speed, turn_acceleration, speed,"
        " acceleration, lag, and sd of the fit by name",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Store the data sheet."""
        self._laps: list[Lap] = []
        self._learned = False
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Store logged moves, and learn when there are enough."""
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
        fit = adjusted(TravelModel(**self.settings.sheet.model_dump()), self._laps)
        update: dict[str, Json] = {"rows": len(self._laps), **fit.parameters}
        return update | {"sd": {name: _finite(value) for name, value in fit.sd.items()}}


def lap_of(row: Mapping[str, Json], answer: str) -> Lap | None:
    """Return the laps of a row of the log about a move that both robots completed; None for other rows."""
    numbers = [row.get(name) for name in ("rotation", "displacement", "lap_real", "lap_virtual")]
    if row.get("alarms") or row.get("answer") != answer:
        return None
    rotation, displacement, real, virtual = (
        float(n) if isinstance(n, int | float) else None for n in numbers
    )
    if rotation is None or displacement is None or real is None or virtual is None:
        return None
    return Lap(rotation, displacement, real, virtual)


def _finite(value: float) -> float | None:
    return value if value - value == 0.0 else None
