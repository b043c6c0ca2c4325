"""Plans a motion to a goal, rehearses it in the twin, and says what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from hetwin_commanding.commanded import Commanded, commanded_joints
from hetwin_commanding.goals import ReadGoal, read_goals
from hetwin_commanding.handling import Handling
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
        commands: what the scenario allows.
        twin: rehearses.
        commanded: the joints that may be moved.
        goals: one after the other.
        placed: adds the scenario's file and line to an error about one of its keys.
    """

    commands: Commands
    twin: Twin
    commanded: Commanded
    goals: tuple[ReadGoal, ...]
    placed: Callable[[BadInput], BadInput]

    @classmethod
    def of(cls, scenario: str, goal: Path, options: RunOptions) -> Commander:
        """Read a scenario and a goal.

        Args:
            scenario: a file, or the name of one of hetwin's.
            goal: a file.
            options: engine, scene and packages; the source is left out.

        Raises:
            BadInput: if one of them cannot be used, or the scenario allows no commands.
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
        """Plan from where the robot is, and rehearse that.

        Args:
            positions: positions of the joints, by name [rad or m].
            place: place of the base in the world; None: the scenario's.

        Raises:
            BadInput: if a goal is about what the robot does not have.
            RunFailed: if the twin fails.
        """
        place = place or self.twin.place

        def handling() -> Handling:
            poses = self.twin.poses(self.commanded.names, positions, place)
            return Handling(self.twin, self.commanded, self.commands.clearance, poses)

        planner = Planner(self.twin.robot, self.commanded, positions, place, handling)
        plan, refused = planner.plan(self.goals)
        if refused:
            return plan, Rehearsal(plan.duration, tuple(refused))
        return plan, rehearse(plan, self.twin, self.commanded, self.commands, positions)

    def rehearse_only(self) -> Outcome:
        """Rehearse from where the scenario's robot begins; nothing is sent."""
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
    """How a command to a robot ended."""

    REACHED = "reached"
    """The robot is where it was to go."""
    REFUSED = "refused"
    """Nothing was sent: a rule would have been broken."""
    STOPPED = "stopped"
    """The robot was stopped on the way, as asked."""
    DEVIATED = "deviated"
    """The robot did not do what the twin did, and was stopped."""
    LOST = "lost"
    """Nothing was heard of the robot any more."""
    REHEARSED = "rehearsed"
    """The motion breaks no rule; nothing was to be sent."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one `hetwin robot send`.

    Attributes:
        rehearsal: how the motion went in the twin.
        result: how it ended.
        sent: whether anything was sent to the robot.
        consistency: how robot and twin agreed on the way; None if nothing was sent.
    """

    rehearsal: Rehearsal
    result: Result
    sent: bool = False
    consistency: dict[str, Any] | None = None

    @property
    def ok(self) -> bool:
        """Whether it went as asked."""
        return self.result in (Result.REACHED, Result.REHEARSED)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON."""
        return {
            "rehearsal": self.rehearsal.to_json(),
            "sent": self.sent,
            "result": self.result.value,
            "consistency": self.consistency,
        }
