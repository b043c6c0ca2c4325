"""A step of a plan that is a part of a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.saving.plain import Plain, Unsaveable
from hetwin_core.ensemble.scenario.robot import FollowedBase
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.plan.part import Part, SceneAt
from model_nodes.main_physics.sources.recorded import RecordedSource
from model_nodes.main_physics.sources.source import BaseMotion, JointMotion
from model_nodes.main_physics.world.description import Body


class RecordedPart(Part):
    """Plays a recording on, from a time of it to its end; see `Part`.

    Args:
        at_ns: when it begins.
        source: the recording.
        only: patterns of the joints that it moves; None: all.
        from_ns: where in the recording it begins; None: at the time of the run.
        announces: whether what the recording says becomes events.
    """

    is_recorded = True
    saved_fields = ("begin_ns", "end_ns", "_offset_ns")

    def __init__(
        self,
        at_ns: int | None,
        source: RecordedSource,
        only: Sequence[str] | None = None,
        from_ns: int | None = None,
        announces: bool = True,
    ) -> None:
        super().__init__(at_ns)
        self._source, self._from_ns, self._announces = source, from_ns, announces
        self._offset_ns = 0 if from_ns is None or at_ns is None else at_ns - from_ns
        names = source.joint_names
        self._joints = names
        if only is not None:
            self._joints = tuple(n for n in names if any(fnmatchcase(n, p) for p in only))
            if not self._joints:
                raise BadInput(
                    "no such joint was recorded",
                    where="only",
                    found=", ".join(only),
                    expected=one_of(only[0], names, "a pattern"),
                )

    @property
    def joints(self) -> tuple[str, ...]:
        """The recorded joints that it moves."""
        return self._joints

    @property
    def duration_ns(self) -> int:
        """How much of the recording follows [ns]."""
        from_ns = self._from_ns if self._from_ns is not None else self.at_ns
        return max(0, self._source.duration_ns - (from_ns or 0))

    @property
    def notes(self) -> Sequence[str]:
        """What the recording notes."""
        return self._source.notes

    def bind(self, joints: Sequence[str], period_ns: int) -> None:
        """Take note of the joints that both the robot and the recording have.

        Raises:
            BadInput: if there are none.
        """
        self._joints = tuple(name for name in joints if name in self._joints)
        self._source.bind(self._joints or joints, period_ns)

    def bind_base(self, robot: Body, base: FollowedBase, period_ns: int) -> None:
        """Read how the base moves."""
        self._source.bind_base(robot, base, period_ns)

    def base(self, time_ns: int) -> BaseMotion:
        """Return the base at a time of the run."""
        return self._source.base(max(0, time_ns - self._offset_ns))

    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Leave out what was said before."""
        from_ns = begin_ns if self._from_ns is None else self._from_ns
        self._offset_ns = begin_ns - from_ns
        self.begin_ns, self.end_ns = begin_ns, self._source.duration_ns + self._offset_ns
        before_ns = now_ns - self._offset_ns
        if before_ns > 0:
            self._source.events(before_ns)

    def motion(self, time_ns: int) -> JointMotion:
        """Return the joints at a time."""
        return self._source.motion(time_ns - self._offset_ns)

    def events(self, time_ns: int) -> list[Event]:
        """Return what the recording says, by the time of the run."""
        if not self._announces:
            return []
        said = self._source.events(time_ns - self._offset_ns)
        return [replace(event, time_ns=event.time_ns + self._offset_ns) for event in said]

    def save(self) -> dict[str, Plain]:
        """Return where the recording is."""
        return {"own": super().save(), "source": self._source.save()}

    def restore(self, saved: Plain) -> None:
        """Go on from there.

        Raises:
            Unsaveable: if it is not the state of such a step.
        """
        if not isinstance(saved, dict) or not {"own", "source"} <= set(saved):
            raise Unsaveable("this is not the state of a step that is recorded")
        super().restore(saved["own"])
        self._source.restore(saved["source"])

    def close(self) -> None:
        """Close the recording."""
        self._source.close()
