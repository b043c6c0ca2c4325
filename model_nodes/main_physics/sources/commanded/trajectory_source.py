"""A motion from a file as the main model's input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.saving.plain import Plain
from hetwin_core.kinematics.trajectories.execution import TrajectoryExecution
from model_nodes.main_physics.sources.commanded.trajectory_file import read_trajectory
from model_nodes.main_physics.sources.source import JointMotion, Source


class TrajectorySource(Source):
    """Moves the joints along a trajectory that begins with the run, as fast as the twin can step.

    Joints begin where they rest; if the trajectory's first point is at 0 s, there.

    Args:
        path: of the trajectory's file.

    Attributes:
        path: of the trajectory's file.
        notes: notes for the user.

    Raises:
        BadInput: if it is no trajectory.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = read_trajectory(path)
        self._resting: Mapping[str, float] = {}
        self._execution: TrajectoryExecution | None = None
        self._driven: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.notes: list[str] = []

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of the trajectory."""
        return self._read.trajectory.names

    @property
    def duration_ns(self) -> int:
        """Time of the trajectory's last point [ns]; a millisecond, if it is 0."""
        return max(round(self._read.trajectory.duration * 1e9), 1_000_000)

    def rest_at(self, positions: Mapping[str, float]) -> None:
        """Take note of where joints are before the first point, by name [rad or m]."""
        self._resting = dict(positions)

    def bind(self, joints: Sequence[str], period_ns: int) -> NDArray[np.bool_]:
        """Select the joints and their order for `motion`; returns (joints,) which of them the trajectory moves.

        Raises:
            BadInput: with file and line, if the robot does not have one of the trajectory's joints.
        """
        for i, name in enumerate(self.joint_names):
            if name not in joints:
                raise self._read.placed(
                    BadInput(
                        "the robot has no such joint that is driven",
                        where=f"joint_names.{i}",
                        found=name,
                        expected=one_of(name, joints),
                    )
                )
        self._driven = np.array([name in self.joint_names for name in joints], np.bool_)
        resting = [self._resting.get(name, 0.0) for name in joints]
        self._execution = TrajectoryExecution(joints, np.where(self._driven, resting, 0.0))
        self._execution.follow(self._read.trajectory, begin=0.0, now=0.0)
        return self._driven

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        if self._execution is None:
            raise RuntimeError("the source is not bound; call bind before motion")
        state = self._execution.at(time_ns * 1e-9)
        return JointMotion(*state, np.full(len(self._driven), np.nan))

    def events(self, time_ns: int) -> list[Event]:
        """Return no events: a trajectory has none."""
        return []

    def ended(self, time_ns: int) -> bool:
        """Whether the trajectory is over."""
        return time_ns >= self.duration_ns

    def save(self) -> Plain:
        """Return nothing: the trajectory's time is that of the run."""
        return {}

    def restore(self, saved: Plain) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing: the file is closed already."""
