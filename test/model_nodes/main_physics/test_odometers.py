"""What a robot says of its way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scenario.robot import Robot
from model_nodes.main_physics.fittings import SourceOdometer, WheelOdometer, odometer_of
from model_nodes.main_physics.sources.part import BaseMotion
from model_nodes.main_physics.world.description import Base, Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

URDF = resource("urdf") / "lab_robot.urdf"
WHEELS = {"left": ["left_wheel_joint"], "right": ["right_wheel_joint"]}
NONE: Any = SimpleNamespace(motions={})
"""Bases that follow."""
JOINTS = ("head_joint", "right_wheel_joint", "left_wheel_joint")


def lab_robot(base: Base) -> Body:
    return replace(read_urdf(Path(URDF), Notes()), base=base, static=base is Base.FIXED)


def named(**more: Any) -> Robot:
    return Robot.model_validate({"urdf": str(URDF), **more})


def test_odometry_begins_where_the_wheels_are_and_goes_as_they_turn() -> None:
    odometer = odometer_of(lab_robot(Base.FREE), named(wheels=WHEELS), NONE, JOINTS)
    assert isinstance(odometer, WheelOdometer)
    assert odometer.robot == "lab_robot"
    start = np.array([0.3, 5.0, 7.0])
    assert odometer.read(start, np.zeros(3)).tolist() == [0, 0, 0, 1, *[0] * 9]
    state = odometer.read(start + np.array([0.0, 2.0, 2.0]), np.array([1.0, 3.0, 3.0]))
    assert state[:7] == pytest.approx([2 * 0.06, 0, 0, 1, 0, 0, 0])
    assert state[7:] == pytest.approx([3 * 0.06, 0, 0, 0, 0, 0])
    state = odometer.read(start + np.array([0.0, 3.0, 1.0]), np.array([0.0, 1.0, -1.0]))
    assert 2 * np.arctan2(state[6], state[3]) == pytest.approx(2 * 0.06 / 0.25)
    assert state[12] == pytest.approx(2 * 0.06 / 0.25)


def test_a_base_that_follows_says_what_its_source_says() -> None:
    bases: Any = SimpleNamespace(motions={"lab_robot": BaseMotion(np.zeros(13), np.arange(13.0))})
    odometer = odometer_of(lab_robot(Base.FOLLOWED), named(wheels=WHEELS), bases, JOINTS)
    assert isinstance(odometer, SourceOdometer)
    assert odometer.read(np.zeros(3), np.zeros(3)).tolist() == list(range(13))


@pytest.mark.parametrize(
    ("base", "more"), [(Base.FIXED, {"wheels": WHEELS}), (Base.FREE, {}), (Base.FIXED, {})]
)
def test_without_wheels_that_roll_there_is_none(base: Base, more: dict[str, Any]) -> None:
    assert odometer_of(lab_robot(base), named(**more), NONE, JOINTS) is None


def test_wheels_that_are_none_are_named() -> None:
    wheels = {"left": ["left_wheel_joint"], "right": ["head_joint"]}
    with pytest.raises(BadInput, match="head_joint"):
        odometer_of(lab_robot(Base.FREE), named(wheels=wheels), NONE, JOINTS)
