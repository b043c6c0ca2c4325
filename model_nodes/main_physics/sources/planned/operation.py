"""A step of a plan that is an announced operation, made into motion by a skill when it begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from hetwin_core.ensemble.annotations import announce
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.source import OperationStep
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import ANNOTATIONS
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.main_physics.sources.part import SceneAt
from model_nodes.main_physics.sources.planned.trajectory import MovingPart
from model_nodes.robot_program.errors import CannotReach
from model_nodes.skills.registry import Skill


class OperationPart(MovingPart):
    """Announces an operation, and moves as its skill says; see `Part`.

    Args:
        at_ns: when it begins.
        step: the operation.
        skill: that makes motion of it.
        movable: names of the joints that it may move.
    """

    needs_scene = True
    saved_fields = (*MovingPart.saved_fields, "_begin_ns", "_said")

    def __init__(
        self, at_ns: int | None, step: OperationStep, skill: Skill, movable: Sequence[str]
    ) -> None:
        super().__init__(at_ns)
        self._step, self._skill, self._movable = step, skill, tuple(movable)
        self._begin_ns = self._said = 0

    @property
    def joint_names(self) -> tuple[str, ...]:
        """All movable joints; those of the motion once it has begun."""
        return self._movable if self._motion is None else self._motion.trajectory.names

    def begin(
        self, begin_ns: int, now_ns: int, present: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Let the skill plan.

        Raises:
            RunFailed: if it cannot, or returns no motion of the robot's joints that ends at rest.
        """
        try:
            planned = self._skill(scene(begin_ns * 1e-9), dict(self._step.arguments))
        except (CannotReach, ValueError) as error:
            self._fail(begin_ns, str(error))
        except Exception as error:  # a third party's skill may raise anything
            self._fail(begin_ns, f"{type(error).__name__}: {error}")
        self._check(planned, begin_ns)
        self._begin_ns = begin_ns
        self.follow(planned, begin_ns, now_ns, present)

    def _check(self, planned: object, time_ns: int) -> None:
        if not isinstance(planned, JointTrajectory):
            found = type(planned).__name__
            self._fail(time_ns, f"its skill returned {found}; expected a JointTrajectory")
        strange = [name for name in planned.names if name not in self._movable]
        if strange:
            self._fail(
                time_ns, f"its skill moves {strange[0]}, which is no movable joint of the robot"
            )
        if not np.isfinite(planned.positions).all() or planned.ends_in_motion:
            self._fail(
                time_ns, "its skill returned a motion that is not finite, or not at rest at its end"
            )

    def _fail(self, time_ns: int, reason: str) -> NoReturn:
        raise RunFailed("plan", self._step.operation, time_ns, reason)

    def events(self, time_ns: int) -> list[Event]:
        """Return its beginning and its end as a robot announces them."""
        assert self.end_ns is not None  # it has begun
        said = [("begin", self._begin_ns), ("end", self.end_ns)][self._said :]
        due = [(phase, when_ns) for phase, when_ns in said if when_ns <= time_ns]
        first, self._said = self._said, self._said + len(due)
        name, arguments = self._step.operation, self._step.arguments
        source = ANNOTATIONS.logged_name
        events = [announce(name, phase, arguments, when_ns, source) for phase, when_ns in due]
        return [replace(event, sequence=first + i) for i, event in enumerate(events)]
