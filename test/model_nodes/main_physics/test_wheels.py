"""A differential drive: measures from the URDF, what a twist asks of the wheels, odometry of their turning."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import Wheels
from model_nodes.main_physics.wheels import (
    DifferentialDrive,
    WheelOdometry,
    differential_drive,
)
from model_nodes.main_physics.world.description import Body
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf

WHEEL = """\
  <link name="{side}_wheel">
    <collision><origin rpy="1.5707963 0 0"/><geometry><cylinder radius="{radius}" length="0.03"/></geometry></collision>
    <inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="{side}_joint" type="continuous">
    <parent link="chassis"/><child link="{side}_wheel"/><origin xyz="0.05 {y} 0" rpy="0 0 0"/><axis xyz="{axis}"/>
  </joint>
"""
ROBOT = """\
<robot name="cart">
  <link name="footprint"/>
  <link name="chassis">
    <inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="up" type="fixed"><parent link="footprint"/><child link="chassis"/><origin xyz="0.01 0 0.1"/></joint>
"""
BOTH = Wheels(left=["left_joint"], right=["right_joint"])


def cart(folder: Path, left: str = "0 1 0", right: str = "0 -1 0", radius: float = 0.1) -> Body:
    """A cart whose axle is 6 cm before the root link; its right wheel turns backwards."""
    wheels = WHEEL.format(side="left", y=0.2, axis=left, radius=0.1)
    wheels += WHEEL.format(side="right", y=-0.2, axis=right, radius=radius)
    file = folder / "cart.urdf"
    file.write_text(ROBOT + wheels + "</robot>")
    return read_urdf(file, Notes())


def test_the_measures_are_those_of_the_urdf(tmp_path: Path) -> None:
    drive = differential_drive(cart(tmp_path), BOTH)
    assert drive.radius == pytest.approx(0.1)
    assert drive.separation == pytest.approx(0.4)
    assert drive.axle == pytest.approx(0.06)
    np.testing.assert_array_equal(drive.signs, [1.0, -1.0])


def test_the_scenario_has_the_last_word(tmp_path: Path) -> None:
    wheels = BOTH.model_copy(update={"radius": 0.2, "separation": 0.5})
    drive = differential_drive(cart(tmp_path, radius=0.08), wheels)
    assert (drive.radius, drive.separation) == (0.2, 0.5)


def test_a_twist_becomes_velocities_of_the_joints(tmp_path: Path) -> None:
    drive = differential_drive(cart(tmp_path), BOTH)
    np.testing.assert_allclose(drive.wheel_velocities(0.5, 0.0), [5.0, -5.0])
    np.testing.assert_allclose(drive.wheel_velocities(0.0, 1.0), [-2.0, -2.0])
    assert drive.motion(drive.wheel_velocities(0.3, -0.7)) == pytest.approx((0.3, -0.7))


DRIVE = DifferentialDrive(("l",), ("r",), 0.1, 0.4, 0.06, np.array([1.0, -1.0]))


@given(st.floats(-1, 1), st.floats(-2, 2), st.integers(1, 50))
def test_odometry_of_a_constant_twist_is_an_arc_however_often_it_is_read(
    forward: float, turn: float, steps: int
) -> None:
    odometry = WheelOdometry(DRIVE, np.zeros(2))
    velocities = DRIVE.wheel_velocities(forward, turn)
    for i in range(1, steps + 1):
        odometry.advance(velocities * i / steps, velocities)
    state, axle = odometry.state, DRIVE.axle
    # the axle's middle goes along the arc; the root link is behind it
    x = forward * math.sin(turn) / turn if abs(turn) > 1e-6 else forward
    y = forward * (1 - math.cos(turn)) / turn if abs(turn) > 1e-6 else 0.0
    expected = [axle + x - axle * math.cos(turn), y - axle * math.sin(turn), 0.0]
    np.testing.assert_allclose(state[:3], expected, atol=1e-6)
    np.testing.assert_allclose(
        [state[3], state[6]], [math.cos(turn / 2), math.sin(turn / 2)], atol=1e-9
    )
    np.testing.assert_allclose(state[7:], [forward, -turn * axle, 0, 0, 0, turn], atol=1e-12)


def test_the_velocity_is_the_derivative_of_the_pose() -> None:
    odometry, velocities = WheelOdometry(DRIVE, np.zeros(2)), DRIVE.wheel_velocities(0.4, 0.9)
    odometry.advance(velocities, velocities)
    before = odometry.state
    odometry.advance(velocities * (1 + 1e-6), velocities)
    rate = (odometry.state[:2] - before[:2]) / 1e-6
    yaw = 2 * math.atan2(before[6], before[3])
    own = [
        rate[0] * math.cos(yaw) + rate[1] * math.sin(yaw),
        rate[1] * math.cos(yaw) - rate[0] * math.sin(yaw),
    ]
    np.testing.assert_allclose(own, before[7:9], atol=1e-5)


@pytest.mark.parametrize(
    ("wheels", "urdf", "where", "words"),
    [
        ({"left": ["left_jiont"]}, {}, "robot.wheels.left.0", "perhaps 'left_joint'"),
        ({"left": ["up"]}, {}, "robot.wheels.left.0", "that turns and is driven"),
        ({"left": ["right_joint"]}, {}, "robot.wheels.right.0", "on both sides"),
        ({}, {"radius": 0.08}, "robot.wheels.radius", "right_joint: 0.0800 m"),
        ({}, {"left": "1 0 0"}, "robot.wheels", "left_joint, whose axis is"),
        (
            {"left": ["right_joint"], "right": ["left_joint"]},
            {},
            "robot.wheels",
            "not left of the right ones",
        ),
    ],
)
def test_what_are_no_wheels_is_refused_in_words(
    tmp_path: Path, wheels: dict[str, list[str]], urdf: dict[str, str], where: str, words: str
) -> None:
    with pytest.raises(BadInput, match=words) as error:
        differential_drive(cart(tmp_path, **urdf), BOTH.model_copy(update=wheels))  # type: ignore[arg-type]
    assert error.value.where == where
