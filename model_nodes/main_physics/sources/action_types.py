"""Definitions of what action servers and behaviour trees publish, as their packages have them.

They are here since recorders leave the definitions of hidden topics out, and the packages need not be installed. Where
versions differ there is a definition for each, the usual one first.
"""

from __future__ import annotations

from collections.abc import Mapping

GRIPPER = "control_msgs/action/GripperCommand_FeedbackMessage"
PARALLEL_GRIPPER = "control_msgs/action/ParallelGripperCommand_FeedbackMessage"
TRAJECTORY = "control_msgs/action/FollowJointTrajectory_FeedbackMessage"
GOALS = "action_msgs/msg/GoalStatusArray"
NAV2_TREE = "nav2_msgs/msg/BehaviorTreeLog"
PY_TREE = "py_trees_ros_interfaces/msg/BehaviourTree"

_NEXT = "=" * 80 + "\nMSG: "
_TREE_CHANGE = "builtin_interfaces/Time timestamp\nstring node_name\n"
_TREE_STATES = "string previous_status\nstring current_status\n"
_POINTS = """\
std_msgs/Header header
string[] joint_names
trajectory_msgs/JointTrajectoryPoint desired
trajectory_msgs/JointTrajectoryPoint actual
trajectory_msgs/JointTrajectoryPoint error
"""
_SEVERAL_AXES = """\
string[] multi_dof_joint_names
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_desired
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_actual
trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_error
"""


def _feedback(name: str, fields: str) -> str:
    of = name.removesuffix("Message")
    return f"unique_identifier_msgs/UUID goal_id\n{of} feedback\n{_NEXT}{of}\n{fields}"


def _tree_log(change: str) -> str:
    name = "nav2_msgs/msg/BehaviorTreeStatusChange"
    head = "builtin_interfaces/Time timestamp\nnav2_msgs/BehaviorTreeStatusChange[] event_log\n"
    return f"{head}{_NEXT}{name}\n{change}"


DEFINITIONS: Mapping[str, tuple[str, ...]] = {
    GRIPPER: (
        _feedback(GRIPPER, "float64 position\nfloat64 effort\nbool stalled\nbool reached_goal\n"),
    ),
    PARALLEL_GRIPPER: (
        _feedback(
            PARALLEL_GRIPPER, "sensor_msgs/JointState state\nbool stalled\nbool reached_goal\n"
        ),
    ),
    TRAJECTORY: (
        _feedback(TRAJECTORY, _POINTS + _SEVERAL_AXES),
        _feedback(TRAJECTORY, _POINTS),
        _feedback(TRAJECTORY, f"{_POINTS}int32 index\n{_SEVERAL_AXES}int32 multi_dof_index\n"),
    ),
    NAV2_TREE: (
        _tree_log(f"{_TREE_CHANGE}uint16 uid\n{_TREE_STATES}"),
        _tree_log(f"{_TREE_CHANGE}{_TREE_STATES}"),
    ),
}
"""Type -> its definitions."""
