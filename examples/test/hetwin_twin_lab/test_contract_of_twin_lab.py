"""The models of the lab keep the contract of models."""

from __future__ import annotations

import pytest

from hetwin_core.ensemble.installed import installed
from hetwin_suite.runs import find_scenario
from hetwin_testing.suite import check_model

GIVEN: dict[str, dict[str, object]] = {
    "robot_link": {"commander": "a", "virtual": "b", "real": "c"},
    "travel_update": {
        "after": 6,
        "sheet": {"turn_speed": 1.0, "turn_acceleration": 1.0, "speed": 1.0, "acceleration": 1.0},
    },
    "way_guide": {"robot": "box", "answers": "link", "places": {1: [1.0, 1.0]}},
}
"""Models, with what cannot be made up."""
STAND_IN = "lab_robot_stand_in"
"""It builds a world for each of its many starts."""
WITH_OTHERS = {"remote_robot", "mission_desk"}
"""They need a robot that runs, or a person: `test_remote_robot.py`, `test_mission_desk.py`."""


@pytest.mark.parametrize("model", GIVEN)
def test_it_keeps_the_contract(model: str) -> None:
    results = check_model(model, GIVEN[model])
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    saved = next(r.detail for r in results if r.check == "save and restore")
    assert "numbers and texts" in saved


def test_every_type_of_the_lab_is_tested() -> None:
    points = (p for p in installed("hetwin.models") if p.module.startswith("hetwin_twin_lab."))
    assert {point.name for point in points} == {*GIVEN, STAND_IN, *WITH_OTHERS}


@pytest.mark.long
def test_the_stand_in_keeps_it_too() -> None:
    results = check_model(STAND_IN, {"scenario": str(find_scenario("twin_lab"))})
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
