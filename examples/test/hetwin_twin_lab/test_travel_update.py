"""The virtual robot's speeds by the log of a link."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from support.scene_of import scene_of

from hetwin_calibration.travel.model import TravelModel
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.model import Tick
from hetwin_twin_lab.travel_update import TravelUpdate, lap_of

SHEET = TravelModel(1.2, 2.0, 0.4, 0.6, 0.0)
REAL = TravelModel(1.0, 2.4, 0.46, 0.5, 0.25)
ROW = {"rotation": 1.0, "displacement": 0.5, "lap_real": 3.0, "lap_virtual": 2.0, "alarms": ""}


def rows(count: int) -> list[Event]:
    random = np.random.default_rng(1)
    commands = np.stack([random.uniform(-3, 3, count), random.uniform(0.1, 1.5, count)], axis=1)
    made: list[Event] = []
    for (rotation, displacement), real, virtual in zip(
        commands.tolist(),
        np.round(REAL.times(commands) / 0.05) * 0.05,
        np.round(SHEET.times(commands) / 0.05) * 0.05,
        strict=True,
    ):
        row = {**ROW, "rotation": rotation, "displacement": displacement, "answer": "done"}
        row |= {"lap_real": float(real), "lap_virtual": float(virtual)}
        made.append(Event("logged", 0, source="link", arguments=row))
    return made


def updates(events: list[Event], after: int = 20) -> list[dict[str, Any]]:
    model = TravelUpdate()
    model.contribute({"link": "link", "after": after, "answer": "done", "sheet": asdict(SHEET)}, 0)
    found: list[Event] = []
    for number, event in enumerate(events, start=1):
        tick = Tick(number, 1, scene_of([], {}), (event,))
        found += model.step(tick).events
    return [dict(event.arguments) for event in found]


def test_speeds_and_lag_come_near_the_real_ones_once() -> None:
    (said,) = updates(rows(40))
    assert said["rows"] == 20
    for name in ("turn_speed", "speed"):
        assert said[name] == pytest.approx(getattr(REAL, name), rel=0.05)
    assert said["lag"] > 0.0
    learned = TravelModel(*(said[name] for name in asdict(SHEET)))
    asked = np.array([[2.0, 0.3], [0.5, 1.2], [1.5, 0.8]])
    assert np.abs(learned.times(asked) - REAL.times(asked)).max() < 0.1
    assert np.abs(SHEET.times(asked) - REAL.times(asked)).max() > 0.5


def test_too_few_moves_teach_nothing() -> None:
    assert updates(rows(19)) == []


@pytest.mark.parametrize(
    "other",
    [
        {"alarms": "timeout:real"},
        {"answer": "blocked"},
        {"rotation": None},
        {"lap_real": None},
        {"lap_virtual": None},
    ],
)
def test_moves_that_were_not_done_by_both_do_not_count(other: dict[str, Any]) -> None:
    row = {**ROW, "answer": "done"}
    assert lap_of(row, "done") is not None
    assert lap_of({**row, **other}, "done") is None
