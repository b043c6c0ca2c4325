"""Plans a motion to a goal, rehearses it in the twin, and reports the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from hetwin_commanding.commanded import JointSet, commanded_joints
from hetwin_commanding.goals import ReadGoal, read_goals
from hetwin_commanding.handling import HandPlanner
from hetwin_commanding.plan import Plan
from hetwin_commanding.planning import Planner
from hetwin_commanding.rehearsal import Rehearsal, rehearse
from hetwin_commanding.twin import Twin
from hetwin_suite.model import BadInput
from hetwin_suite.robot import PlanarPose
from hetwin_suite.runs import RunOptions, Scenario, find_scenario, load_scenario
from hetwin_suite.source import Commands


@dataclass(frozen=True, slots=True)
class Commander:
    """A scenario whose robot may be commanded, and goals for it.

    Attributes:
        commands: commands that the scenario allows.
        twin: twin for rehearsals.
        commanded: joints that may be commanded.
        goals: goals in their order.
        placed: adds the scenario's file and line to an error about one of its keys.
    """

    commands: Commands
    twin: Twin
    commanded: JointSet
    goals: tuple[ReadGoal, ...]
    placed: Callable[[BadInput], BadInput]

    @classmethod
    def of(cls, scenario: str, goal: Path, options: RunOptions) -> Commander:
        """Read a scenario and a file of goals.

        Args:
            scenario: path of a file, or name of one of hetwin's.
            goal: path of the file of goals.
            options: engine, scene and packages; the source is ignored.

        Raises:
            BadInput: if a file cannot be used, or the scenario allows no commands.
        """
        loaded = load_scenario(find_scenario(scenario))
        commands = _commands(loaded)
        goals = tuple(read_goals(goal))
        twin = Twin(loaded, replace(options, source=None, no_source=True))
        try:
            commanded = commanded_joints(commands, twin.robot, twin.wheels)
        except BadInput as error:
            raise loaded.placed(error) from None
        return cls(commands, twin, commanded, goals, loaded.placed)

    def rehearsed(
        self, positions: Mapping[str, float], place: PlanarPose | None = None
    ) -> tuple[Plan, Rehearsal]:
        """Plan from a state of the robot, and rehearse the plan.

        Args:
            positions: joint -> position [rad or m].
            place: pose of the base in the world; None: the scenario's.

        Raises:
            BadInput: if a goal names something that the robot does not have.
            RunFailed: if the twin fails.
        """
        place = place or self.twin.place

        def handling() -> HandPlanner:
            poses = self.twin.poses(self.commanded.names, positions, place)
            return HandPlanner(self.twin, self.commanded, self.commands.clearance, poses)

        planner = Planner(self.twin.robot, self.commanded, positions, place, handling)
        plan, refused = planner.plan(self.goals)
        if refused:
            return plan, Rehearsal(plan.duration, tuple(refused))
        return plan, rehearse(plan, self.twin, self.commanded, self.commands, positions)

    def rehearse_only(self) -> Outcome:
        """Rehearse from the robot's initial state in the scenario, without sending anything."""
        _, rehearsal = self.rehearsed(self.twin.resting)
        return Outcome(rehearsal, Result.REHEARSED if rehearsal.ok else Result.REFUSED)


def _commands(scenario: Scenario) -> Commands:
    if scenario.file.commands is None:
        raise BadInput(
            "the scenario does not let its robot be commanded",
            file=scenario.path,
            where="commands",
            expected="commands: {groups: {arm: {joints: [...], controller: NAME}}}, see docs/commanding.md",
        )
    return scenario.file.commands


class Result(StrEnum):
    """Result of a command to a robot."""

    REACHED = "reached"
    """The robot has reached the goals."""
    REFUSED = "refused"
    """Nothing was sent, since the motion breaks a rule."""
    STOPPED = "stopped"
    """The robot was stopped on request during the motion."""
    DEVIATED = "deviated"
    """The robot did not follow the twin, and was stopped."""
    LOST = "lost"
    """The robot stopped sending messages."""
    REHEARSED = "rehearsed"
    """The motion breaks no rule; sending was not requested."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one `hetwin robot send`.

    Attributes:
        rehearsal: result of the rehearsal.
        result: result of the command.
        sent: whether anything was sent to the robot.
        consistency: figures of the agreement of robot and twin; None if nothing was sent.
    """

    rehearsal: Rehearsal
    result: Result
    sent: bool = False
    consistency: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether the command ended as requested."""
        return self.result in (Result.REACHED, Result.REHEARSED)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON representation."""
        return {
            "rehearsal": self.rehearsal.to_json(),
            "sent": self.sent,
            "result": self.result.value,
            "consistency": self.consistency,
        }
