"""Fidelity management added to a scenario that knows nothing of it, by YAML alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.small_ensemble import Outcome, run

from hetwin_core.ensemble.scene.values import Fidelity

ROOT = Path(__file__).resolve().parents[3]
SCENARIO = (ROOT / "scenarios/pick_and_place.yaml").read_text(encoding="utf-8")
SIGNALERS = """
  near:   {type: fidelity_near_robot, rate: 100, parameters: {objects: [box], mode: AdFi-3}}
  fingers:
    type: fidelity_during_action
    parameters: {actions: [move_hand], objects: ["gripper_left_finger"], models: [handling]}
"""
SENSOR = """
robot:
  urdf: urdf/tabletop_arm.urdf
  range_sensors: {gripper_left_finger: {along: [0, 1, 0], reach: 0.3}}
"""


def conducted(changed: str) -> Outcome:
    outcome = run(changed)
    assert outcome.summary.error is None
    return outcome


@pytest.fixture(scope="module")
def managed() -> Outcome:
    """With both signalers, and a sensor on a finger."""
    text = SCENARIO.replace("\nrobot: urdf/tabletop_arm.urdf\n", SENSOR)
    return conducted(text.replace("\nresponsibilities:", SIGNALERS + "\nresponsibilities:"))


@pytest.fixture(scope="module")
def plain() -> Outcome:
    """As it is shipped."""
    return conducted(SCENARIO)


def levels(outcome: Outcome, name: str) -> list[float]:
    return [float(scene.get(name, "fidelity")[0]) for scene in outcome.record.scenes]


def test_the_robots_program_sees_nothing_of_it(managed: Outcome, plain: Outcome) -> None:
    both = list(zip(managed.moves(), plain.moves(), strict=True))
    assert both
    assert [one[1:] for one, _ in both] == [other[1:] for _, other in both]
    assert [one[0] for one, _ in both] == pytest.approx([other[0] for _, other in both], abs=0.05)
    put = [outcome.record.scenes[-1].pose("box")[:3] for outcome in (managed, plain)]
    assert put[0] == pytest.approx(put[1], abs=2e-3)


def test_the_box_is_low_until_the_robot_comes(managed: Outcome) -> None:
    told = levels(managed, "box")
    assert min(told) == Fidelity.LOW
    assert told[-2] < Fidelity.HIGH
    assert told[-1] == Fidelity.HIGH, "at the end everything is as usual"
    held = [s for s in managed.record.scenes if s.owner("box", "pose") == "holding"]
    assert held
    assert {float(s.get("box", "fidelity")[0]) for s in held} == {Fidelity.HIGH}


def test_a_model_does_not_step_and_a_sensor_is_off_outside_the_action(managed: Outcome) -> None:
    told = levels(managed, "handling")
    assert set(told) == {Fidelity.LOW, Fidelity.HIGH}
    seen = np.array([s.get("gripper_left_finger", "range")[0] for s in managed.record.scenes])
    low = np.array(levels(managed, "gripper_left_finger")) == Fidelity.LOW
    # A level holds from the next step on.
    assert (seen[1:][low[:-1]] == 0.3).all()
    assert (seen[1:][~low[:-1]] < 0.3).any()
