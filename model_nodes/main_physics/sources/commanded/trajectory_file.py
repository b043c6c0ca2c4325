"""Reads a trajectory's file: YAML with the fields of trajectory_msgs/msg/JointTrajectory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.strict_yaml import load
from hetwin_core.ensemble.validation import Strict, Whole, check
from hetwin_core.kinematics.trajectories.trajectory import (
    InvalidTrajectory,
    JointTrajectory,
    TrajectoryPoint,
)


class _Duration(Strict):
    sec: Whole = 0
    nanosec: Annotated[Whole, Field(ge=0, lt=1_000_000_000)] = 0


class _Point(Strict):
    """Numbers are checked together with the names of the joints."""

    positions: list[float]
    velocities: list[float] = Field(default_factory=list)
    accelerations: list[float] = Field(default_factory=list)
    effort: list[float] = Field(default_factory=list)
    time_from_start: float | _Duration

    @property
    def seconds(self) -> float:
        """Time after the beginning [s]."""
        time = self.time_from_start
        return time.sec + time.nanosec * 1e-9 if isinstance(time, _Duration) else time


class _TrajectoryFile(Strict):
    """What `ros2 topic echo` prints can be read; its header and efforts mean nothing here."""

    header: Any = None
    joint_names: list[str]
    points: list[_Point]


@dataclass(frozen=True, slots=True)
class ReadTrajectory:
    """A trajectory that was read.

    Attributes:
        trajectory: with the motion.
        placed: adds the file and the line to an error about one of its keys.
    """

    trajectory: JointTrajectory
    placed: Callable[[BadInput], BadInput]


def read_trajectory(path: Path) -> ReadTrajectory:
    """Read and check a trajectory's file.

    Times are seconds, or `{sec, nanosec}`; positions are in rad or m.

    Raises:
        BadInput: with file, line and key, if it is none.
    """
    document = load(path)
    try:
        if not isinstance(document.data, dict):
            raise BadInput(
                "this is no trajectory",
                found=type(document.data).__name__,
                expected="a mapping with joint_names and points",
            )
        file = check(_TrajectoryFile, document.data)
        points = [
            TrajectoryPoint(point.seconds, point.positions, point.velocities, point.accelerations)
            for point in file.points
        ]
        trajectory = JointTrajectory.through(file.joint_names, points)
        if trajectory.ends_in_motion:
            raise BadInput(
                "the motion does not end at rest",
                where=f"points.{len(points) - 1}.velocities",
                found=list(points[-1].velocities),
                expected="velocities of 0 at the last point",
            )
    except InvalidTrajectory as error:
        where = error.field if error.point is None else f"points.{error.point}.{error.field}"
        wrong = BadInput(error.problem, where=where, found=error.found, expected=error.expected)
        raise document.placed(wrong, path) from None
    except BadInput as error:
        raise document.placed(error, path) from None
    return ReadTrajectory(trajectory, lambda error: document.placed(error, path))
