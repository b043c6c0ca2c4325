"""Opens what a scenario or a command says to move a robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput, raised_words
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.scenario.source import (
    SPEC_OF,
    CommandsSpec,
    InstalledSpec,
    LiveSpec,
    ModelSpec,
    PlanSpec,
    ProgramSpec,
    RecordingSpec,
    SourceKind,
    TrajectorySpec,
    kind_of,
)
from hetwin_core.ensemble.validation import Strict, check
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.commanded.part import CommandedPart
from model_nodes.main_physics.sources.commanded.trajectory_file import (
    ReadTrajectory,
    read_trajectory,
)
from model_nodes.main_physics.sources.model_part import ModelPart
from model_nodes.main_physics.sources.part import Part
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.planned.trajectory import TrajectoryPart
from model_nodes.main_physics.sources.recorded_part import RecordedPart
from model_nodes.main_physics.wheels import DifferentialDrive
from model_nodes.main_physics.world.description import Body

SOURCES = Group(
    "hetwin.sources",
    "source",
    "a function of a folder and the source's arguments, which returns a JointTrajectory or a recording's path",
)


def open_source(
    spec: str | Path | Mapping[str, Any],
    *,
    robots: Sequence[Body] = (),
    others: Sequence[str] = (),
    hands: Sequence[NamedHand] = (),
    wheels: DifferentialDrive | None = None,
) -> Plan:
    """Open a recording, a trajectory's file or steps, follow a live robot, listen to commands, or start a program.

    Args:
        spec: path of a recording, or a mapping with the keys of `RecordingSpec`, `LiveSpec`,
            `CommandsSpec`, `TrajectorySpec`, `ProgramSpec`, `ModelSpec` or `PlanSpec`.
        robots: those that the plan moves.
        others: namespaces of other robots, whose tasks and beliefs in a recording are only read if they are named.
        hands: of the robots.
        wheels: that a velocity of the base turns; None: there are none.

    Raises:
        BadInput: if the spec is invalid, the file cannot be played back, or the robot does not publish.
    """
    mapping = {"recording": str(spec)} if isinstance(spec, str | Path) else spec
    checked = check_listening(mapping)
    named = {hand.name: hand for hand in hands}
    match checked:
        case PlanSpec():
            from model_nodes.main_physics.sources.planned.opening import open_steps

            return open_steps(checked, _only(robots, SourceKind.PLAN), named, others)
        case ProgramSpec():
            from model_nodes.main_physics.sources.program.part import ProgramPart

            robot = _only(robots, SourceKind.PROGRAM)
            program = ProgramPart(checked, robot, named, f"{robot.name}/" if others else "")
            return Plan([program], lasting_ns=round(checked.lasting * 1e9))
        case RecordingSpec():
            return Plan([RecordedPart(checked, robots, others)])
        case TrajectorySpec():
            return Plan(
                [TrajectoryPart(None, read_trajectory(Path(checked.trajectory).expanduser()))]
            )
        case ModelSpec():
            return Plan([ModelPart(checked, wheels)])
        case InstalledSpec():
            return Plan([_installed(checked, robots, others)])
    return Plan([_listening(checked, robots, wheels)])


def _only(robots: Sequence[Body], kind: SourceKind) -> Body:
    if not robots:
        raise BadInput(
            f"there is no robot that the {kind} could move",
            where=f"source.{kind}",
            expected="robot",
        )
    (robot,) = robots
    return robot


def _installed(spec: InstalledSpec, robots: Sequence[Body], others: Sequence[str]) -> Part:
    """What a package's source has made: a motion, or a recording.

    Raises:
        BadInput: if there is no such source, or it makes neither.
    """
    source = SOURCES.load(spec.installed, "source.installed")
    try:
        made = source(Path(spec.folder or "."), **spec.arguments)
    except BadInput:
        raise
    except Exception as error:  # code of anyone's
        raise BadInput(
            f"the source {spec.installed} cannot be made: {raised_words(error)}",
            where="source.arguments",
            found=spec.arguments,
        ) from error
    if isinstance(made, JointTrajectory):
        return TrajectoryPart(
            None, ReadTrajectory(made, lambda error: error.at("source.installed"))
        )
    if isinstance(made, str | Path):
        return RecordedPart(RecordingSpec(recording=str(made)), robots, others)
    raise BadInput(
        f"the source {spec.installed} has made something else",
        where="source.installed",
        found=type(made).__name__,
        expected=SOURCES.expected,
    )


def _listening(spec: Strict, robots: Sequence[Body], wheels: DifferentialDrive | None) -> Part:
    """A live robot, or commands.

    Raises:
        BadInput: if ROS 2 is not installed.
    """
    try:
        if isinstance(spec, LiveSpec):
            from model_nodes.main_physics.sources.live.link import RobotLink
            from model_nodes.main_physics.sources.live.part import LivePart

            return LivePart(spec, robots, RobotLink)
        from model_nodes.main_physics.sources.commanded.live_link import CommandLink

        assert isinstance(spec, CommandsSpec)
        return CommandedPart(spec, robots, CommandLink, wheels)
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where=f"source.{SourceKind.LIVE if isinstance(spec, LiveSpec) else SourceKind.COMMANDS}",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None


def check_listening(spec: Mapping[str, Any]) -> Strict:
    """Validate the description of a source without opening anything.

    Raises:
        BadInput: if it is invalid.
    """
    return check(SPEC_OF[kind_of(spec) or SourceKind.RECORDING], spec, "source")
