"""Parts of a plan that move joints from where they are along a trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.polynomials import State
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.main_physics.sources.commanded.trajectory_file import ReadTrajectory
from model_nodes.main_physics.sources.part import JointMotion, Part, SceneAt


class Motion:
    """A trajectory under way.

    Args:
        trajectory: from where the joints are.
        begin_ns: its time 0 [ns of the run].
        joints: all joints of the robot, in the order of `at`.
    """

    def __init__(self, trajectory: JointTrajectory, begin_ns: int, joints: Sequence[str]) -> None:
        self.trajectory, self._begin_ns = trajectory, begin_ns
        self._columns = np.array([joints.index(name) for name in trajectory.names], np.intp)
        self._unknown = np.full(len(joints), np.nan)
        self._end: JointMotion | None = None

    @property
    def end_ns(self) -> int:
        """When it is over [ns of the run]."""
        return self._begin_ns + round(self.trajectory.duration * 1e9)

    def at(self, time_ns: int) -> JointMotion:
        """Return all joints at a time; those that it does not move are 0."""
        if self._end is not None and time_ns >= self.end_ns:
            return self._end
        positions, velocities, accelerations = states = np.zeros((3, len(self._unknown)))
        states[:, self._columns] = self.trajectory.at((time_ns - self._begin_ns) * 1e-9)
        motion = JointMotion(positions, velocities, accelerations, self._unknown)
        self._end = motion if time_ns >= self.end_ns else None
        return motion


class MovingPart(Restorable, Part):
    """A part that is a trajectory once it has begun; see `Part`.

    Args:
        at_ns: when it begins.
    """

    takes_over = True
    saved_fields: ClassVar[tuple[str, ...]] = ("end_ns", "_motion")

    def __init__(self, at_ns: int | None) -> None:
        self.at_ns = at_ns
        self._motion: Motion | None = None
        self._joints: tuple[str, ...] = ()

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Take note of the joints; returns (joints,) which of them it may move."""
        self._joints, own = tuple(joints), self.joint_names
        return np.array([name in own for name in joints], np.bool_)

    def follow(
        self,
        trajectory: JointTrajectory,
        begin_ns: int,
        now_ns: int,
        present: Mapping[str, Floats],
    ) -> Motion:
        """Move from the present states of the joints to the first point that is later, and on; returns the motion."""
        here = State(*np.array([present[name] for name in trajectory.names]).T)
        ahead = trajectory.after(here, (now_ns - begin_ns) * 1e-9)
        self._motion = motion = Motion(ahead, begin_ns, self._joints)
        self.end_ns = motion.end_ns
        return motion

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        assert self._motion is not None  # it has begun
        return self._motion.at(time_ns)


class TrajectoryPart(MovingPart):
    """Moves its joints from where they are along a trajectory that was read.

    Args:
        at_ns: when it begins.
        read: the trajectory.
    """

    def __init__(self, at_ns: int | None, read: ReadTrajectory) -> None:
        super().__init__(at_ns)
        self._read = read

    @property
    def joint_names(self) -> tuple[str, ...]:
        """The joints of the trajectory."""
        return self._read.trajectory.names

    @property
    def duration_ns(self) -> int:
        """Time of the last point [ns]."""
        return round(self._read.trajectory.duration * 1e9)

    def bind(
        self, joints: Sequence[str], period_ns: int, resting: Mapping[str, float] | None = None
    ) -> NDArray[np.bool_]:
        """Take note of the joints; returns (joints,) which of them the trajectory moves.

        Raises:
            BadInput: with file and line, if the robot does not have one of the trajectory's joints.
        """
        for i, name in enumerate(self.joint_names):
            if name not in joints:
                error = BadInput(
                    "the robot has no such joint that is driven",
                    where=f"joint_names.{i}",
                    found=name,
                    expected=one_of(name, joints),
                )
                raise self._read.placed(error)
        return super().bind(joints, period_ns, resting)

    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Begin to move."""
        self.follow(self._read.trajectory, begin_ns, now_ns, present)
