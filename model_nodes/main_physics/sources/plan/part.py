"""A step of a plan that has begun or will begin: what it makes of the joints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.polynomials import State
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.main_physics.sources.source import JointMotion
from model_nodes.skills.scene import SkillScene

SceneAt = Callable[[float], SkillScene]
"""Returns the scene for a skill that begins at a time of the run [s]."""


class Part(Restorable, ABC):
    """A step of a plan.

    Args:
        at_ns: when it begins [ns of the run]; None: when the step before it is over.

    Attributes:
        at_ns: as given.
        begin_ns: when it began; None before.
        end_ns: when it is over; None before it began.
        needs_scene: whether it can begin only where the scene is known.
        is_recorded: whether it says how joints really moved, so that they follow it whatever they push.
    """

    needs_scene = False
    is_recorded = False

    def __init__(self, at_ns: int | None) -> None:
        self.at_ns = at_ns
        self.begin_ns: int | None = None
        self.end_ns: int | None = None

    @property
    @abstractmethod
    def joints(self) -> tuple[str, ...]:
        """The joints that it moves, or before it began may move."""

    @property
    @abstractmethod
    def duration_ns(self) -> int | None:
        """How long it lasts if it begins at `at_ns`, or at 0; None if that is not known before."""

    @property
    def notes(self) -> Sequence[str]:
        """Notes for the user."""
        return ()

    def bind(self, joints: Sequence[str], period_ns: int) -> None:
        """Take note of the names of the robot's joints.

        Raises:
            BadInput: if it moves others.
        """

    @abstractmethod
    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Begin.

        Args:
            begin_ns: when it begins [ns of the run]; before `now_ns`, the part before is left out.
            now_ns: until when the joints have moved.
            present: (3,) position, velocity and acceleration of each joint then.
            scene: returns the scene.

        Raises:
            RunFailed: if it cannot begin.
        """

    @abstractmethod
    def motion(self, time_ns: int) -> JointMotion:
        """Return its joints at a time after its beginning."""

    def events(self, time_ns: int) -> list[Event]:
        """Return what it says since the last call, up to and including a time."""
        return []

    def close(self) -> None:
        """Close its files."""


class Motion:
    """A trajectory under way.

    Args:
        trajectory: from where the joints are.
        begin_ns: its time 0 [ns of the run].
    """

    def __init__(self, trajectory: JointTrajectory, begin_ns: int) -> None:
        self.trajectory, self._begin_ns = trajectory, begin_ns
        self._unknown = np.full(len(trajectory.names), np.nan)
        self._end: JointMotion | None = None

    @classmethod
    def from_here(
        cls, trajectory: JointTrajectory, begin_ns: int, now_ns: int, present: Mapping[str, Floats]
    ) -> Motion:
        """Return the motion that leads from the present states of its joints to its first point that is later."""
        here = State(*np.array([present[name] for name in trajectory.names]).T)
        return cls(trajectory.after(here, (now_ns - begin_ns) * 1e-9), begin_ns)

    @property
    def end_ns(self) -> int:
        """When it is over [ns of the run]."""
        return self._begin_ns + round(self.trajectory.duration * 1e9)

    def at(self, time_ns: int) -> JointMotion:
        """Return its joints at a time."""
        if self._end is not None and time_ns >= self.end_ns:
            return self._end
        state = self.trajectory.at((time_ns - self._begin_ns) * 1e-9)
        motion = JointMotion(*state, self._unknown)
        self._end = motion if time_ns >= self.end_ns else None
        return motion
