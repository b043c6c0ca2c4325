"""When goals end: tolerances as joint_trajectory_controller has them, and grippers that stall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hetwin_commanding.source.ends import (
    STOPPED,
    GoalEnd,
    Goals,
    GripperJudge,
    Joints,
    Outcome,
    Tolerance,
    Tolerances,
    TrajectoryJudge,
)

OWN = Tolerances({"elbow": Tolerance(0.1)}, {"elbow": Tolerance(0.02, STOPPED)}, 0.5)
"""The parameters of a controller."""


def joints(time: float, wanted: float, at: float, speed: float = 0.0) -> Joints:
    one = [np.array([value]) for value in (wanted, 0.0, at, speed, np.nan)]
    return Joints(time, ("elbow",), *one)


def test_zero_is_the_default_and_minus_one_is_none() -> None:
    asked = OWN.with_request(
        [("elbow", Tolerance(0.0, 2.0))], [("elbow", Tolerance(-1.0, 0.0))], 0.0, ["elbow"]
    )
    assert asked.path["elbow"] == Tolerance(0.1, 2.0)
    assert asked.at_goal("elbow") == Tolerance(0.0, STOPPED)
    assert asked.goal_time == 0.5


@pytest.mark.parametrize(
    ("name", "tolerance", "words"),
    [
        ("nose", Tolerance(0.1), "nose, which is none of its joints"),
        ("elbow", Tolerance(-2.0), "-2; expected a positive number, 0 or -1"),
        ("elbow", Tolerance(float("nan")), "nan; expected"),
    ],
)
def test_what_is_no_tolerance_is_refused(name: str, tolerance: Tolerance, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OWN.with_request([(name, tolerance)], [], 0.0, ["elbow"])


def test_the_path_is_checked_until_the_end_and_the_goal_from_then_on() -> None:
    judge = TrajectoryJudge(["elbow"], OWN)
    assert judge.look(joints(0.5, 0.5, 0.41), 1.0) is None
    off = judge.look(joints(0.5, 0.5, 0.39), 1.0)
    assert off is not None
    assert off.end is GoalEnd.OFF_ITS_PATH
    assert "elbow is off by 0.11 rad or m; allowed 0.1" in off.reason
    assert judge.look(joints(1.0, 1.0, 0.97), 1.0) is None
    assert judge.look(joints(1.4, 1.0, 0.99), 1.0) == Outcome(GoalEnd.REACHED)
    late = judge.look(joints(1.6, 1.0, 0.97), 1.0)
    assert late is not None
    assert late.end is GoalEnd.NOT_THERE_IN_TIME


def test_without_a_goal_time_it_waits_and_a_joint_that_moves_is_not_there() -> None:
    judge = TrajectoryJudge(["elbow"], replace(OWN, goal_time=0.0))
    assert judge.look(joints(1000.0, 1.0, 0.97), 1.0) is None
    assert judge.look(joints(1000.0, 1.0, 1.0, speed=0.02), 1.0) is None
    assert judge.look(joints(1000.0, 1.0, 1.0, speed=0.005), 1.0) == Outcome(GoalEnd.REACHED)


def test_a_gripper_is_there_or_stalls() -> None:
    judge = GripperJudge("elbow", 0.5, goal_tolerance=0.01, stall_timeout=0.2)
    assert judge.look(joints(0.0, 0.5, 0.0, speed=1.0), 1.0) is None
    assert judge.look(joints(0.1, 0.5, 0.1), 1.0) is None
    assert judge.look(joints(0.15, 0.5, 0.1), 1.0) is None
    stalled = judge.look(joints(0.25, 0.5, 0.1), 1.0)
    assert stalled is not None
    assert stalled.end is GoalEnd.STALLED
    assert judge.look(joints(0.2, 0.5, 0.495), 1.0) == Outcome(GoalEnd.REACHED)


def test_only_trajectories_that_fail_hold_their_joints() -> None:
    goals = Goals()
    goals.begin_motion("arm", 1, 1.0, TrajectoryJudge(["elbow"], OWN))
    assert goals.look(0.5, joints(0.5, 0.5, 0.0)) == ["arm"]
    goals.begin_motion("hand", 2, 1.0, GripperJudge("elbow", 0.5, stall_timeout=0.0))
    goals.look(0.5, joints(0.5, 0.5, 0.0))
    assert goals.look(0.6, joints(0.6, 0.5, 0.0)) == []
    assert [outcome and outcome.end for outcome in (goals.take(1), goals.take(2))] == [
        GoalEnd.OFF_ITS_PATH,
        GoalEnd.STALLED,
    ]
