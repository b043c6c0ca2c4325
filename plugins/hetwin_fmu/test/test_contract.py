"""A unit keeps the contract of models, for both versions of FMI."""

from __future__ import annotations

import pytest
from motor_unit import motor

from hetwin_testing.suite import check_model


@pytest.mark.parametrize("version", [2, 3])
def test_a_unit_keeps_the_contract(version: int) -> None:
    parameters = {
        "file": str(motor(version)),
        "concepts": ["motor"],
        "inputs": {"voltage": {"of": "box.pose[2]", "factor": 12.0}, "gear": 2},
        "outputs": {
            "motor.speed": "speed",
            "motor.hot": "hot",
            "motor.both": ["speed", "temperature"],
        },
        "start": {"speed_start": "motor.speed", "label": "of the test"},
        "events": {"overheated": "hot"},
    }
    results = check_model("hetwin_fmu:Fmu", parameters)
    assert [f"{r.check}: {r.detail}" for r in results if not r.ok] == []
    said = {r.check: r.detail for r in results}
    assert said["initialize"] == "1 entities, 3 attributes"
    assert said["step"] == "240 steps, 1 events"
    assert said["take and release"].startswith("handed over: motor.speed; refused: ")
