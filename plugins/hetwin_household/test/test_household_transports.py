"""The models of household objects give the same run in one process and as ROS 2 nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.household import box, home
from support.ros_runs import run

STOVE = box("stove", "1 0 0.1", "0.4 0.4 0.2", static=True)
LAMP = box("lamp", "0.3 0 0.05", "0.1 0.1 0.1", static=True)
KEYS = """
    entities:
      stove: {attributes: {heatable: {temperature: 600, rate: 1.0, within: 0.2, when: switched_on(lamp)}}}
      lamp: {attributes: {toggleable: {button: lamp, dwell: 0.05}, receptacle: {}}}
      pot: {attributes: {pickable: {}, moveable: {}, fillable: {capacity: 1.0e-4}}}
    """
PRESSES = [(0.2, 0.3, 0.8), (0.4, 0.3, 0.8505), (0.6, 0.3, 0.8505), (1.0, 0.3, 0.8)]


@pytest.mark.long  # eight processes start
def test_events_states_and_digest_are_equal_in_both_transports(tmp_path: Path) -> None:
    scenario = home(tmp_path, [STOVE, LAMP, box("pot", "1 0 0.23")], KEYS, PRESSES)
    local, ros = (
        run(scenario, tmp_path / way, "--engine", "mujoco", transport=way).json
        for way in ("local", "ros")
    )
    assert local["state"]["switched_on(lamp)"] is True
    assert local["state"]["hot(pot)"] is True
    for key in ("digest", "events", "state"):
        assert ros[key] == local[key]
    assert ros["deterministic"] is True
    assert {row["model"] for row in ros["processes"]} >= {"switch", "temperature", "displacement"}
