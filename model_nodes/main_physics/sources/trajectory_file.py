"""Reads trajectories with the fields of trajectory_msgs/msg/JointTrajectory, or of MoveIt's messages around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field, Tag

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.strict_yaml import load
from hetwin_core.ensemble.validation import Strict, Whole, alternatives, check, tag
from hetwin_core.kinematics.trajectories.trajectory import (
    InvalidTrajectory,
    JointTrajectory,
    TrajectoryPoint,
)


class _Duration(Strict):
    sec: Whole = 0
    nanosec: Annotated[Whole, Field(ge=0, lt=1_000_000_000)] = 0


class _Point(Strict):
    """A point of a trajectory; its numbers are checked together with the names of the joints."""

    positions: list[float]
    velocities: list[float] = Field(default_factory=list)
    accelerations: list[float] = Field(default_factory=list)
    effort: list[float] = Field(default_factory=list)
    time_from_start: float | _Duration

    @property
    def seconds(self) -> float:
        """Time after the start [s]."""
        time = self.time_from_start
        return time.sec + time.nanosec * 1e-9 if isinstance(time, _Duration) else time


class _JointTrajectory(Strict):
    """A JointTrajectory, as from `ros2 topic echo`; header and efforts are ignored."""

    header: Any = None
    joint_names: list[str]
    points: list[_Point]


class _RobotTrajectory(Strict):
    """A RobotTrajectory of moveit_msgs; joints with several degrees of freedom are refused."""

    joint_trajectory: _JointTrajectory
    multi_dof_joint_trajectory: Any = None


class _DisplayTrajectory(Strict):
    """A DisplayTrajectory of moveit_msgs; its start state is ignored, since the twin's state counts."""

    model_id: Any = None
    trajectory: Annotated[list[_RobotTrajectory], Field(min_length=1)]
    trajectory_start: Any = None


_AnyTrajectory = Annotated[
    Annotated[_JointTrajectory, Tag(tag("joint_names"))]
    | Annotated[_RobotTrajectory, Tag(tag("joint_trajectory"))]
    | Annotated[_DisplayTrajectory, Tag(tag("trajectory"))],
    alternatives("joint_names", "joint_trajectory", "trajectory"),
]


@dataclass(frozen=True, slots=True)
class ReadTrajectory:
    """A trajectory that was read from a file or a scenario.

    Attributes:
        trajectory: the motion.
        locate: adds the file and the line to an error about one of its keys.
    """

    trajectory: JointTrajectory
    locate: Callable[[BadInput], BadInput]


def read_trajectory(path: Path) -> ReadTrajectory:
    """Read and check a file with a trajectory.

    Times are seconds, or `{sec, nanosec}`; positions are in rad or m.

    Raises:
        BadInput: with file, line and key, if it is not a valid trajectory.
    """
    document = load(path)
    try:
        if not isinstance(document.data, dict):
            raise BadInput(
                "this is not a trajectory",
                found=type(document.data).__name__,
                expected="a mapping with joint_names and points",
            )
        trajectory = trajectory_of(document.data)
    except BadInput as error:
        raise document.placed(error, path) from None
    return ReadTrajectory(trajectory, lambda error: document.placed(error, path))


def trajectory_of(data: Mapping[str, Any]) -> JointTrajectory:
    """Return the motion from a message's fields.

    Args:
        data: fields of trajectory_msgs/msg/JointTrajectory, or of moveit_msgs/msg/RobotTrajectory or DisplayTrajectory,
            whose parts are executed one after the other.

    Raises:
        BadInput: with the key, if it is not a valid trajectory.
    """
    message: Any = check(_AnyTrajectory, data)  # type: ignore[arg-type]
    if isinstance(message, _JointTrajectory):
        return _motion(message, "")
    if isinstance(message, _RobotTrajectory):
        return _robot_motion(message, "")
    parts = [_robot_motion(part, f"trajectory.{i}.") for i, part in enumerate(message.trajectory)]
    return _concatenated(parts)


def _robot_motion(message: _RobotTrajectory, key: str) -> JointTrajectory:
    multi_dof = message.multi_dof_joint_trajectory
    if isinstance(multi_dof, Mapping) and multi_dof.get("joint_names"):
        raise BadInput(
            "joints with several degrees of freedom are not moved by trajectories",
            where=f"{key}multi_dof_joint_trajectory.joint_names",
            found=multi_dof["joint_names"],
            expected="none of them",
        )
    return _motion(message.joint_trajectory, f"{key}joint_trajectory.")


def _motion(message: _JointTrajectory, key: str) -> JointTrajectory:
    """Return the motion of a message; `key` is its path in the file with a dot at the end, or empty."""
    points = [
        TrajectoryPoint(point.seconds, point.positions, point.velocities, point.accelerations)
        for point in message.points
    ]
    try:
        trajectory = JointTrajectory.through(message.joint_names, points)
    except InvalidTrajectory as error:
        where = error.field if error.point is None else f"points.{error.point}.{error.field}"
        raise BadInput(
            error.problem, where=f"{key}{where}", found=error.found, expected=error.expected
        ) from None
    if trajectory.ends_in_motion:
        raise BadInput(
            "the motion does not end at rest",
            where=f"{key}points.{len(points) - 1}.velocities",
            found=list(points[-1].velocities),
            expected="velocities of 0 at the last point",
        )
    return trajectory


def _concatenated(parts: Sequence[JointTrajectory]) -> JointTrajectory:
    """Concatenate motions of the same joints.

    Raises:
        BadInput: if their joints differ, or only some of them have velocities.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    for i, part in enumerate(parts):
        same = [part.names == first.names, (part.velocities is None) == (first.velocities is None)]
        if not all(same):
            raise BadInput(
                "the parts are of different joints, or not all of them have velocities",
                where=f"trajectory.{i}.joint_trajectory",
                found=list(part.names),
                expected=f"as in the first one: {', '.join(first.names)}",
            )
    times, rows = [first.times], [slice(None)] + [slice(1, None)] * (len(parts) - 1)
    begin = first.duration
    for part in parts[1:]:
        times.append(part.times[1:] + begin)
        begin += part.duration
    positions = [part.positions[row] for part, row in zip(parts, rows, strict=True)]
    velocities = [
        part.velocities[row]
        for part, row in zip(parts, rows, strict=True)
        if part.velocities is not None
    ]
    return JointTrajectory(
        first.names,
        np.concatenate(times),
        np.vstack(positions),
        np.vstack(velocities) if velocities else None,
    )
