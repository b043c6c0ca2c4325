"""Messages that action servers, grippers and behaviour trees publish."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from model_nodes.main_physics.sources.action_types import (
    GOALS,
    GRIPPER,
    NAV2_TREE,
    PARALLEL_GRIPPER,
    TRAJECTORY,
)
from support.recorded_bags import TYPES, Recorded, header, joints

FEEDBACK, STATUS = "/_action/feedback", "/_action/status"
EXECUTING, SUCCEEDED, ABORTED = 2, 4, 6


def uuid(number: int) -> Any:
    """The id of a goal."""
    return TYPES.types["unique_identifier_msgs/msg/UUID"](uuid=np.full(16, number, np.uint8))


def goals(time_ns: int, action: str, states: Mapping[int, int]) -> Recorded:
    """The states of an action's goals, by their numbers."""
    info, state = (TYPES.types[f"action_msgs/msg/Goal{name}"] for name in ("Info", "Status"))
    stamp = header(time_ns).stamp
    found = [
        state(goal_info=info(goal_id=uuid(number), stamp=stamp), status=status)
        for number, status in states.items()
    ]
    return Recorded(action + STATUS, GOALS, time_ns, TYPES.types[GOALS](status_list=found))


def gripper(
    time_ns: int,
    action: str,
    position: float,
    *,
    stalled: bool = False,
    reached: bool = False,
    goal: int = 1,
) -> Recorded:
    """Feedback of control_msgs/action/GripperCommand."""
    said = _feedback(GRIPPER)(position=position, effort=12.0, stalled=stalled, reached_goal=reached)
    return _told(time_ns, action, GRIPPER, said, goal)


def parallel_gripper(
    time_ns: int, action: str, joint: str, position: float, *, stalled: bool = False
) -> Recorded:
    """Feedback of control_msgs/action/ParallelGripperCommand."""
    state = joints(time_ns, (joint,), (position,)).message
    said = _feedback(PARALLEL_GRIPPER)(state=state, stalled=stalled, reached_goal=False)
    return _told(time_ns, action, PARALLEL_GRIPPER, said, 1)


def trajectory(
    time_ns: int, action: str, names: Sequence[str], errors: Sequence[float], goal: int = 1
) -> Recorded:
    """Feedback of control_msgs/action/FollowJointTrajectory."""
    none = np.empty(0)
    point = TYPES.types["trajectory_msgs/msg/JointTrajectoryPoint"]
    axes = TYPES.types["trajectory_msgs/msg/MultiDOFJointTrajectoryPoint"]
    duration = TYPES.types["builtin_interfaces/msg/Duration"](sec=0, nanosec=0)
    given = {"velocities": none, "accelerations": none, "effort": none}
    rest = point(positions=np.zeros(len(names)), time_from_start=duration, **given)
    error = point(positions=np.array(errors), time_from_start=duration, **given)
    fixed = axes(transforms=[], velocities=[], accelerations=[], time_from_start=duration)
    said = _feedback(TRAJECTORY)(
        header=header(time_ns),
        joint_names=list(names),
        desired=rest,
        actual=rest,
        error=error,
        multi_dof_joint_names=[],
        multi_dof_desired=fixed,
        multi_dof_actual=fixed,
        multi_dof_error=fixed,
    )
    return _told(time_ns, action, TRAJECTORY, said, goal)


def tree(time_ns: int, *changes: tuple[str, str]) -> Recorded:
    """A nav2_msgs/msg/BehaviorTreeLog: nodes and the states that they come to."""
    change = TYPES.types["nav2_msgs/msg/BehaviorTreeStatusChange"]
    stamp = header(time_ns).stamp
    rows = [
        change(timestamp=stamp, node_name=name, uid=7, previous_status="IDLE", current_status=state)
        for name, state in changes
    ]
    message = TYPES.types[NAV2_TREE](timestamp=stamp, event_log=rows)
    return Recorded("/behavior_tree_log", NAV2_TREE, time_ns, message)


def _feedback(name: str) -> Any:
    return TYPES.types[name.removesuffix("Message")]


def _told(time_ns: int, action: str, name: str, said: Any, goal: int) -> Recorded:
    message = TYPES.types[name](goal_id=uuid(goal), feedback=said)
    return Recorded(action + FEEDBACK, name, time_ns, message)
