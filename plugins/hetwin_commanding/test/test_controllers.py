"""What the joints and the base are commanded to do, by the commands that came."""

from __future__ import annotations

import math

import numpy as np
import pytest
from commanded_arm import ARM, DRIVE, WHEELS

from hetwin_commanding.source.commands import (
    CommandRefused,
    StopCommand,
    TrajectoryCommand,
    trajectory_command,
    twist_command,
)
from hetwin_commanding.source.controllers import Controllers
from hetwin_core.kinematics.trajectories.trajectory import TrajectoryPoint
from model_nodes.main_physics.sources.commanded_base import CommandedBase

JOINTS = (*ARM, "shelf", *WHEELS)
RESTING = np.array([0.5, -0.5, 9.0, 0.0, 0.0])
EPOCH_NS = 1_700_000_000_000_000_000


def elbow_to(position: float, seconds: float = 1.0, stamp_ns: int = 0) -> TrajectoryCommand:
    return trajectory_command("arm", ["elbow"], [TrajectoryPoint(seconds, [position])], stamp_ns)


@pytest.fixture
def controllers() -> Controllers:
    return Controllers(JOINTS, RESTING, {"arm": ARM}, DRIVE)


def test_joints_rest_until_they_are_commanded(controllers: Controllers) -> None:
    assert controllers.driven.tolist() == [True, True, False, True, True]
    np.testing.assert_array_equal(controllers.motion(0.0).positions, [0.5, -0.5, 0, 0, 0])
    controllers.obey(elbow_to(1.5), 2.0)
    np.testing.assert_allclose(controllers.motion(2.5).positions[:2], [1.0, -0.5])
    controllers.obey(StopCommand("arm"), 2.5)
    np.testing.assert_allclose(controllers.motion(4.0).positions[:2], [1.0, -0.5])


@pytest.mark.parametrize("stamp_ns", [EPOCH_NS + 3_000_000_000, 3_000_000_000])
def test_a_stamp_of_this_machine_or_of_simulated_time_is_kept(
    controllers: Controllers, stamp_ns: int
) -> None:
    controllers.obey(elbow_to(1.5, 1.0, stamp_ns), 2.0, EPOCH_NS)  # at the point at 3 s + 1 s
    np.testing.assert_allclose(controllers.motion(3.0).positions[0], 1.0)


@pytest.mark.parametrize("off_s", [-3600.0, 60.0])
def test_a_stamp_of_another_clock_is_refused(controllers: Controllers, off_s: float) -> None:
    stamp_ns = EPOCH_NS + round((2.0 + off_s) * 1e9)
    with pytest.raises(CommandRefused, match=rf"{abs(off_s):.1f} s from now.*another clock"):
        controllers.obey(elbow_to(1.5, 1.0, stamp_ns), 2.0, EPOCH_NS)
    np.testing.assert_array_equal(controllers.motion(9.0).positions[:2], [0.5, -0.5])


def test_a_trajectory_that_is_over_is_refused(controllers: Controllers) -> None:
    with pytest.raises(CommandRefused, match=r"over 0\.500 s ago"):
        controllers.obey(elbow_to(1.5, 1.0, EPOCH_NS + 500_000_000), 2.0, EPOCH_NS)


@pytest.mark.parametrize("name", ["elbwo", "shelf", "left_wheel"])
def test_a_joint_of_no_or_another_controller_is_refused(
    controllers: Controllers, name: str
) -> None:
    command = trajectory_command("arm", [name], [TrajectoryPoint(1.0, [1.0])])
    with pytest.raises(CommandRefused, match=f"arm has no joint {name}; .*elbow, wrist"):
        controllers.obey(command, 0.0)


def test_what_is_no_motion_is_refused_before_it_is_a_command() -> None:
    with pytest.raises(CommandRefused, match="not finite"):
        trajectory_command("arm", ["elbow"], [TrajectoryPoint(1.0, [math.nan])])
    with pytest.raises(CommandRefused, match="1 numbers; expected 2"):
        trajectory_command("arm", ARM, [TrajectoryPoint(1.0, [0.0])])
    with pytest.raises(CommandRefused, match="nothing follows it"):
        trajectory_command("arm", ["elbow"], [TrajectoryPoint(1.0, [0.0], [0.1])])
    with pytest.raises(CommandRefused, match="there are none"):
        trajectory_command("arm", ["elbow"], [])
    with pytest.raises(CommandRefused, match="velocity nan 0 inf; expected finite"):
        twist_command(math.nan, 0.0, math.inf)


def test_a_velocity_turns_the_wheels_until_it_is_too_old(controllers: Controllers) -> None:
    controllers.motion(0.0)
    controllers.obey(twist_command(0.2, 0.0, 1.0), 0.0)
    turning = controllers.motion(0.4)
    np.testing.assert_allclose(turning.velocities[3:], [0.0, 4.0], atol=1e-12)
    np.testing.assert_allclose(turning.positions[3:], [0.0, 1.6], atol=1e-12)
    still = controllers.motion(0.6)
    np.testing.assert_array_equal(still.velocities[3:], 0.0)
    np.testing.assert_allclose(still.positions[3:], [0.0, 1.6], atol=1e-12)
    assert not controllers.twist(0.6).forward


def test_a_base_that_follows_goes_exactly_as_commanded() -> None:
    pose = (1.0, 0.0, 0.1, math.cos(math.pi / 4), 0.0, 0.0, math.sin(math.pi / 4))  # looks along y
    base = CommandedBase(pose, None)
    base.advance(twist_command(0.5, 0.0, 0.0), 2.0)
    np.testing.assert_allclose(base.motion.state[:3], [1.0, 1.0, 0.1])
    np.testing.assert_allclose(base.motion.state[7:10], [0.0, 0.5, 0.0], atol=1e-12)
    base.advance(twist_command(0.0, 0.3, math.pi / 2), 3.0)
    np.testing.assert_allclose(base.motion.odometry[[3, 6]], [math.sqrt(0.5)] * 2)
    np.testing.assert_allclose(base.motion.odometry[7:], [0, 0.3, 0, 0, 0, math.pi / 2])
    np.testing.assert_allclose(base.motion.state[10:], [0, 0, math.pi / 2])
    assert CommandedBase(pose, [2.0, 3.0, 0.0]).motion.state[:4].tolist() == [2.0, 3.0, 0.1, 1.0]
