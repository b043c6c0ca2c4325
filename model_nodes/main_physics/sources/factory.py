"""Opens the source that a scenario or a command specifies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.source import (
    SPEC_OF,
    CommandsSpec,
    LiveSpec,
    ModelSpec,
    PlanSpec,
    ProgramSpec,
    RecordingSpec,
    TrajectorySpec,
    kind_of,
)
from hetwin_core.ensemble.validation import Strict, check
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.sources.commanded.source import CommandedSource
from model_nodes.main_physics.sources.commanded.trajectory_source import TrajectorySource
from model_nodes.main_physics.sources.model_source import ModelSource
from model_nodes.main_physics.sources.recorded import RecordedSource
from model_nodes.main_physics.sources.source import Source
from model_nodes.main_physics.world.description import Body


def open_source(
    spec: str | Path | Mapping[str, Any],
    *,
    base: Path | None = None,
    robots: Sequence[Body] = (),
    others: Sequence[str] = (),
    hands: Sequence[NamedHand] = (),
) -> Source:
    """Open a recording, a trajectory's file or a plan, follow a live robot, listen to commands, or start a program.

    Args:
        spec: path of a recording, or a mapping with the keys of `RecordingSpec`, `LiveSpec`,
            `CommandsSpec`, `TrajectorySpec`, `ProgramSpec`, `ModelSpec` or `PlanSpec`.
        base: folder to which a relative path is relative; by default the working directory.
        robots: those that the source moves.
        others: namespaces of other robots, whose tasks and beliefs in a recording are only read if they are named.
        hands: of the robots.

    Raises:
        BadInput: if the spec is invalid, the file cannot be played back, or the robot does not publish.
    """
    if isinstance(spec, Mapping) and "live" in spec:
        from model_nodes.main_physics.sources.live.source import LiveSource

        return LiveSource(check(LiveSpec, spec, "source"), robots)
    if isinstance(spec, Mapping) and "commands" in spec:
        return _commanded(check(CommandsSpec, spec, "source"), robots)
    if isinstance(spec, Mapping) and "trajectory" in spec:
        file = Path(check(TrajectorySpec, spec, "source").trajectory).expanduser()
        return TrajectorySource(file if base is None else base / file)
    if isinstance(spec, Mapping) and "program" in spec:
        from model_nodes.main_physics.sources.program.source import ProgramSource

        (robot,) = robots or _no_robot("program")
        scope = f"{robot.name}/" if others else ""
        named = {hand.name: hand for hand in hands}
        return ProgramSource(check(ProgramSpec, spec, "source"), robot, named, base, scope)
    if isinstance(spec, Mapping) and "model" in spec:
        return ModelSource(check(ModelSpec, spec, "source"), robots)
    if isinstance(spec, Mapping) and "plan" in spec:
        from model_nodes.main_physics.sources.plan.opening import open_plan

        (robot,) = robots or _no_robot("plan")
        named = {hand.name: hand for hand in hands}
        return open_plan(check(PlanSpec, spec, "source"), robot, named, base, others)
    mapping = {"recording": str(spec)} if isinstance(spec, str | Path) else spec
    checked = check(RecordingSpec, mapping, "source")
    path = Path(checked.recording).expanduser()
    return RecordedSource(
        path if base is None else base / path,
        joint_states=checked.joint_states,
        joints=checked.joints,
        annotations=checked.annotations,
        topics=checked.topics,
        joints_from=checked.joints_from,
        robots=robots,
        clock_offset=checked.clock_offset,
        tasks=checked.tasks,
        beliefs=checked.beliefs,
        others=others,
        stamps=checked.stamps,
        units=checked.units,
    )


def _commanded(spec: CommandsSpec, robots: Sequence[Body]) -> Source:
    try:
        from model_nodes.main_physics.sources.commanded.live_link import CommandLink
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="source.commands",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None
    return CommandedSource(spec, robots, CommandLink)


def _no_robot(kind: str) -> NoReturn:
    raise BadInput(
        f"there is no robot that the {kind} could move", where=f"source.{kind}", expected="robot"
    )


def check_listening(spec: Mapping[str, Any]) -> Strict:
    """Validate the description of a live robot or of commands without subscribing to anything.

    Raises:
        BadInput: if it is invalid.
    """
    kind = kind_of(spec)
    assert kind is not None
    return check(SPEC_OF[kind], spec, "source")
