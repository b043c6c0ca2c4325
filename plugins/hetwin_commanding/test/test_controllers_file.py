"""ros2_control's file of parameters says what controllers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hetwin_commanding.source.commands import CommandRefused
from hetwin_commanding.source.ends import STOPPED, GoalEnd, Outcome, Tolerance
from hetwin_commanding.source.parameters import Kind, controllers_of, read_controllers
from hetwin_core.ensemble.errors import BadInput

FILE = """\
controller_manager:
  ros__parameters:
    update_rate: 100
    states: {type: joint_state_broadcaster/JointStateBroadcaster}
    arm: {type: joint_trajectory_controller/JointTrajectoryController}
    hand: {type: parallel_gripper_action_controller/GripperActionController}
arm:
  ros__parameters:
    joints: [elbow, wrist]
    command_interfaces: [position]
    constraints: {goal_time: 0.5, elbow: {trajectory: 0.05, goal: 0.03}}
hand:
  ros__parameters: {joint: finger, allow_stalling: true, stall_timeout: 0.3, max_velocity: 0.2}
"""


def written(folder: Path, text: str = FILE) -> Path:
    path = folder / "controllers.yaml"
    path.write_text(text)
    return path


def test_types_joints_and_constraints_are_read(tmp_path: Path) -> None:
    found = read_controllers(written(tmp_path))
    assert list(found) == ["arm", "hand"]
    arm, hand = found["arm"], found["hand"]
    assert (arm.kind, arm.joints) == (Kind.TRAJECTORY, ("elbow", "wrist"))
    assert arm.tolerances.path["elbow"] == Tolerance(0.05)
    assert arm.tolerances.at_goal("elbow") == Tolerance(0.03, STOPPED)
    assert arm.tolerances.at_goal("wrist") == Tolerance(0.0, STOPPED)
    assert arm.tolerances.goal_time == 0.5
    assert (hand.joint, hand.velocity) == ("finger", 0.2)
    assert hand.has_succeeded(Outcome(GoalEnd.STALLED))


def test_controllers_that_the_file_has_not_take_trajectories(tmp_path: Path) -> None:
    found = controllers_of({"head": ["pan"], "arm": ["*"]}, written(tmp_path))
    assert found is not None
    assert sorted(found) == ["arm", "hand", "head"]
    assert found["arm"].joints == ("elbow", "wrist")
    assert found["head"].kind is Kind.TRAJECTORY


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[elbow, wrist]", "7", r"line 9.*arm\.ros__parameters\.joints.*found 7; expected names"),
        ("goal_time: 0.5", "goal_time: soon", r"constraints\.goal_time.*soon.*expected a number"),
        ("allow_stalling: true", "allow_stalling: 1", r"allow_stalling.*expected true or false"),
        ("stall_timeout: 0.3", "stall_timeout: -1", r"stall_timeout.*expected a number, 0 or more"),
        ("JointTrajectoryController", "X", r"joints.*|.*"),
    ],
)
def test_what_cannot_be_used_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    path = written(tmp_path, FILE.replace(old, new))
    if new == "X":
        assert list(read_controllers(path)) == ["hand"]
        return
    with pytest.raises(BadInput, match=words):
        read_controllers(path)


@pytest.mark.parametrize("text", ["[]", "a: b", "controller_manager: {ros__parameters: 3}"])
def test_a_file_without_controllers_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"no controller that could be commanded.*expected one of"):
        read_controllers(written(tmp_path, text))


@pytest.mark.parametrize(("position", "velocity"), [(float("nan"), None), (0.1, 0.0), (0.1, -1.0)])
def test_a_gripper_goes_to_a_position_with_a_velocity(
    tmp_path: Path, position: float, velocity: float | None
) -> None:
    hand = read_controllers(written(tmp_path))["hand"]
    assert hand.grip(0.1).velocity == 0.2
    with pytest.raises(CommandRefused, match="expected finite numbers"):
        hand.grip(position, velocity)
