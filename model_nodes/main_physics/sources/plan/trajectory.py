"""A step of a plan that is a trajectory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.commanded.trajectory_file import ReadTrajectory
from model_nodes.main_physics.sources.plan.part import Motion, Part, SceneAt
from model_nodes.main_physics.sources.source import JointMotion


class TrajectoryPart(Part):
    """Moves its joints from where they are along a trajectory; see `Part`.

    Args:
        at_ns: when it begins.
        read: the trajectory.
    """

    saved_fields = ("begin_ns", "end_ns", "_motion")

    def __init__(self, at_ns: int | None, read: ReadTrajectory) -> None:
        super().__init__(at_ns)
        self._read = read
        self._motion: Motion | None = None

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints of the trajectory."""
        return self._read.trajectory.names

    @property
    def duration_ns(self) -> int:
        """Time of the last point [ns]."""
        return round(self._read.trajectory.duration * 1e9)

    def bind(self, joints: Sequence[str], period_ns: int) -> None:
        """Check the names of its joints.

        Raises:
            BadInput: with the place, if the robot does not have one of them.
        """
        for i, name in enumerate(self.joints):
            if name not in joints:
                error = BadInput(
                    "the robot has no such joint that is driven",
                    where=f"joint_names.{i}",
                    found=name,
                    expected=one_of(name, joints),
                )
                raise self._read.placed(error)

    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Begin to move."""
        self._motion = Motion.from_here(self._read.trajectory, begin_ns, now_ns, present)
        self.begin_ns, self.end_ns = begin_ns, self._motion.end_ns

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        assert self._motion is not None  # it has begun
        return self._motion.at(time_ns)
