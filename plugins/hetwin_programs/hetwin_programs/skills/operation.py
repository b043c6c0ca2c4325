"""Operations of a plan, which skills convert into motions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NoReturn

import numpy as np

from hetwin_programs.program.messages import CannotReach
from hetwin_programs.program.robot_facts import movable, robot_facts
from hetwin_programs.skills.arguments import Skill, skill_of
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.engine import Body
from hetwin_suite.model import BadInput, Event, Floats, RunFailed
from hetwin_suite.robot import JointTrajectory
from hetwin_suite.source import (
    ANNOTATIONS,
    MovingPart,
    NamedHand,
    OperationStep,
    SceneAt,
    SceneStart,
    SourceContext,
    announce,
)


def operation_part(step: OperationStep, context: SourceContext) -> OperationPart:
    """Return the part for an operation of a plan.

    Raises:
        BadInput: if there is no such skill.
    """
    (robot,) = context.robots
    at_ns = None if step.at is None else round(step.at * 1e9)
    name, key = (step.operation, "operation") if step.skill is None else (step.skill, "skill")
    try:
        skill = skill_of(name)
    except BadInput as error:
        raise error.at(key) from None
    return OperationPart(at_ns, step, skill, robot, context.hands)


class OperationPart(MovingPart):
    """Announces an operation, and moves as its skill plans; see `Part`.

    Args:
        at_ns: start of the part [ns]; None: at the end of the previous part.
        step: the operation.
        skill: skill that plans the motion.
        robot: the robot.
        hands: hands of the robot, by name.
    """

    needs_scene = True
    saved_fields = (*MovingPart.saved_fields, "_begin_ns", "_said")

    def __init__(
        self,
        at_ns: int | None,
        step: OperationStep,
        skill: Skill,
        robot: Body,
        hands: Mapping[str, NamedHand],
    ) -> None:
        super().__init__(at_ns)
        self._step, self._skill, self._robot, self._hands = step, skill, robot, hands
        self._movable = tuple(joint.name for joint in movable(robot))
        self._begin_ns = self._said = 0

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the joints that the skill moves; before the start, names of all movable joints."""
        return self._movable if self._motion is None else self._motion.trajectory.names

    def begin(
        self, begin_ns: int, now_ns: int, current: Mapping[str, Floats], scene: SceneAt
    ) -> None:
        """Plan the motion with the skill, and start it.

        Raises:
            RunFailed: if planning fails, or the result is not a motion of the robot's joints that ends at rest.
        """
        try:
            planned = self._skill(
                self._skill_scene(scene(begin_ns * 1e-9)), dict(self._step.arguments)
            )
        except (CannotReach, ValueError) as error:
            self._fail(begin_ns, str(error))
        except Exception as error:  # a third party's skill may raise anything
            self._fail(begin_ns, f"{type(error).__name__}: {error}")
        self._check(planned, begin_ns)
        self._begin_ns = begin_ns
        self.follow(planned, begin_ns, now_ns, current)

    def _skill_scene(self, start: SceneStart) -> SkillScene:
        facts = robot_facts(self._robot, self._hands, start.joints)
        return SkillScene(facts, start.joints, start.pose_of, start.time, start.entities)

    def _check(self, planned: object, time_ns: int) -> None:
        if not isinstance(planned, JointTrajectory):
            found = type(planned).__name__
            self._fail(time_ns, f"its skill returned {found}; expected a JointTrajectory")
        foreign = [name for name in planned.names if name not in self._movable]
        if foreign:
            self._fail(
                time_ns, f"its skill moves {foreign[0]}, which is not a movable joint of the robot"
            )
        if not np.isfinite(planned.positions).all() or planned.ends_in_motion:
            self._fail(
                time_ns, "its skill returned a motion that is not finite, or not at rest at its end"
            )

    def _fail(self, time_ns: int, reason: str) -> NoReturn:
        raise RunFailed("plan", self._step.operation, time_ns, reason)

    def events(self, time_ns: int) -> list[Event]:
        """Return begin and end of the operation as a robot announces them."""
        assert self.end_ns is not None  # the part has started
        phases = [("begin", self._begin_ns), ("end", self.end_ns)][self._said :]
        due = [(phase, phase_ns) for phase, phase_ns in phases if phase_ns <= time_ns]
        first, self._said = self._said, self._said + len(due)
        name, arguments = self._step.operation, self._step.arguments
        source = ANNOTATIONS.logged_name
        events = [announce(name, phase, arguments, phase_ns, source) for phase, phase_ns in due]
        return [replace(event, sequence=first + i) for i, event in enumerate(events)]
