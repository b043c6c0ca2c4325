"""A controller's commanded motion: held, replaced in the middle of motion, shared by joints."""

from __future__ import annotations

import numpy as np
import pytest

from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, TrajectoryPoint
from hetwin_programs.trajectory_execution import TrajectoryExecution


def to(time: float, rest: bool = True, **positions: float) -> JointTrajectory:
    """A trajectory of one point, with velocities and accelerations 0 there, or without."""
    names, values = list(positions), list(positions.values())
    zeros = [0.0] * len(names) if rest else []
    return JointTrajectory.through(names, [TrajectoryPoint(time, values, zeros, zeros)])


@pytest.fixture
def execution() -> TrajectoryExecution:
    return TrajectoryExecution(["elbow", "wrist"], np.array([0.5, -0.5]))


def test_it_rests_until_a_trajectory_comes_and_after_its_end(
    execution: TrajectoryExecution,
) -> None:
    np.testing.assert_array_equal(execution.at(7.0).positions, [0.5, -0.5])
    execution.follow(to(2.0, elbow=1.5), begin=10.0, now=10.0)
    np.testing.assert_allclose(execution.at(10.0).positions, [0.5, -0.5])
    np.testing.assert_allclose(execution.at(11.0).positions, [1.0, -0.5])
    np.testing.assert_allclose(execution.at(99.0).positions, [1.5, -0.5])


def test_a_motion_is_replaced_without_a_jump_of_position_or_velocity(
    execution: TrajectoryExecution,
) -> None:
    execution.follow(to(2.0, elbow=1.5, wrist=0.5), begin=0.0, now=0.0)
    before = execution.at(0.8)
    execution.follow(to(1.0, elbow=0.0, wrist=0.0), begin=0.8, now=0.8)
    after = execution.at(0.8)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    np.testing.assert_allclose(execution.at(1.8).positions, 0.0, atol=1e-12)


def test_joints_that_a_trajectory_leaves_out_go_on(execution: TrajectoryExecution) -> None:
    execution.follow(to(2.0, rest=False, elbow=2.5, wrist=1.5), begin=0.0, now=0.0)
    execution.follow(to(1.0, rest=False, elbow=0.0), begin=1.0, now=1.0)
    np.testing.assert_allclose(execution.at(1.5).positions, [0.75, 1.0])
    np.testing.assert_allclose(execution.at(3.0).positions, [0.0, 1.5])


def test_a_trajectory_may_begin_later(execution: TrajectoryExecution) -> None:
    execution.follow(to(1.0, rest=False, wrist=0.5), begin=1.0, now=0.0)
    np.testing.assert_allclose(execution.at(1.0).positions, [0.5, 0.0])  # on its way from now on


def test_joints_stop_where_they_are_and_others_go_on(execution: TrajectoryExecution) -> None:
    execution.follow(to(2.0, rest=False, elbow=2.5, wrist=1.5), begin=0.0, now=0.0)
    execution.stop(["wrist"], 1.0)
    execution.stop([], 1.0)
    np.testing.assert_allclose(execution.at(1.5).positions, [2.0, 0.5])
    np.testing.assert_array_equal(execution.at(1.5).velocities, [1.0, 0.0])
    execution.follow(to(1.0, rest=False, wrist=1.5), begin=2.0, now=2.0)
    np.testing.assert_allclose(execution.at(2.5).positions, [2.5, 1.0])


def test_a_joint_that_it_does_not_have_is_an_error(execution: TrajectoryExecution) -> None:
    with pytest.raises(KeyError, match="knee"):
        execution.follow(to(1.0, knee=1.0), begin=0.0, now=0.0)
