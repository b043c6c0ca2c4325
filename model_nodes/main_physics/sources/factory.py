"""Opens the sources of the robots' motion, and the plans of all robots.

The module that opens a kind of source is only imported when it is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput, error_with_location
from hetwin_core.ensemble.installed import Group
from hetwin_core.ensemble.scenario.robot import NamedRobot, Robot
from hetwin_core.ensemble.scenario.source import (
    SPEC_OF,
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
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import NamedHand, Settings
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.bag_types import ACTION_ANNOTATION
from model_nodes.main_physics.sources.joint_table import joint_topics
from model_nodes.main_physics.sources.part import Functions, Part, SourceContext, load_part
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.plans import ALL, Plans
from model_nodes.main_physics.sources.recorded_part import RecordedPart
from model_nodes.main_physics.wheels import DifferentialDrive, differential_drive
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
    functions: Functions | None = None,
) -> Plan:
    """Open a source of motion: a recording, a trajectory, steps, a live robot, commands, a model or a program.

    Args:
        spec: path of a recording, or a mapping with the keys of `RecordingSpec`, `LiveSpec`,
            `CommandsSpec`, `TrajectorySpec`, `ProgramSpec`, `ModelSpec` or `PlanSpec`.
        robots: robots that the plan moves.
        others: namespaces of other robots; topics in them are only read if `spec` names them.
        hands: hands of the robots.
        wheels: wheels by which a commanded velocity moves the base; None: there are none.
        functions: functional attributes of entities, which programs may read.

    Raises:
        BadInput: if the spec is invalid, the file cannot be played back, or the live robot does not publish.
    """
    mapping = {"recording": str(spec)} if isinstance(spec, str | Path) else spec
    checked = check_source(mapping)
    named = {hand.name: hand for hand in hands}
    context = SourceContext(robots, named, wheels, functions=functions or {})
    match checked:
        case PlanSpec():
            from model_nodes.main_physics.sources.planned import open_steps

            _single_robot(robots, SourceKind.PLAN)
            return open_steps(checked, context, others)
        case ProgramSpec():
            robot = _single_robot(robots, SourceKind.PROGRAM)
            context = replace(context, scope=f"{robot.name}/" if others else "")
            program = load_part(SourceKind.PROGRAM, checked, context, "source.program")
            return Plan([program], lasting_ns=round(checked.lasting * 1e9))
        case RecordingSpec():
            return Plan([RecordedPart(checked, robots, others)])
        case TrajectorySpec():
            from model_nodes.main_physics.sources.planned import TrajectoryPart
            from model_nodes.main_physics.sources.trajectory_file import read_trajectory

            read = read_trajectory(Path(checked.trajectory).expanduser())
            return Plan([TrajectoryPart(None, read)])
        case ModelSpec():
            from model_nodes.main_physics.sources.model_part import ModelPart

            return Plan([ModelPart(checked, wheels)])
        case InstalledSpec():
            return Plan([_installed(checked, robots, others)])
    return Plan([_open_listening(checked, context)])


def _single_robot(robots: Sequence[Body], kind: SourceKind) -> Body:
    if not robots:
        raise BadInput(
            f"there is no robot that the {kind} could move",
            where=f"source.{kind}",
            expected="robot",
        )
    (robot,) = robots
    return robot


def _installed(spec: InstalledSpec, robots: Sequence[Body], others: Sequence[str]) -> Part:
    """Run a package's source and return its motion or recording.

    Raises:
        BadInput: if there is no such source, or it returns neither.
    """
    from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
    from model_nodes.main_physics.sources.planned import TrajectoryPart
    from model_nodes.main_physics.sources.trajectory_file import ReadTrajectory

    source = SOURCES.load(spec.installed, "source.installed")
    try:
        result = source(Path(spec.folder or "."), **spec.arguments)
    except BadInput:
        raise
    except Exception as error:  # third-party code may raise anything
        raise BadInput(
            f"the source {spec.installed} cannot be made: {error_with_location(error)}",
            where="source.arguments",
            found=spec.arguments,
        ) from error
    if isinstance(result, JointTrajectory):
        return TrajectoryPart(
            None, ReadTrajectory(result, lambda error: error.at("source.installed"))
        )
    if isinstance(result, str | Path):
        return RecordedPart(RecordingSpec(recording=str(result)), robots, others)
    raise BadInput(
        f"the source {spec.installed} returned an object of another type",
        where="source.installed",
        found=type(result).__name__,
        expected=SOURCES.expected,
    )


def _open_listening(spec: Strict, context: SourceContext) -> Part:
    """Follow a live robot, or listen to commands.

    Raises:
        BadInput: if ROS 2, or the package that executes commands, is not installed.
    """
    try:
        if isinstance(spec, LiveSpec):
            from model_nodes.main_physics.sources.live.link import RobotLink
            from model_nodes.main_physics.sources.live.part import LivePart

            return LivePart(spec, context.robots, RobotLink)
        return load_part(SourceKind.COMMANDS, spec, context, "source.commands")
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where=f"source.{SourceKind.LIVE if isinstance(spec, LiveSpec) else SourceKind.COMMANDS}",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite",
        ) from None


def check_source(spec: Mapping[str, Any]) -> Strict:
    """Validate the description of a source without opening anything.

    Raises:
        BadInput: if it is invalid.
    """
    return check(SPEC_OF[kind_of(spec) or SourceKind.RECORDING], spec, "source")


def open_plans(settings: Settings, robots: Sequence[SceneRobot]) -> Plans:
    """Open the source of each robot that has one.

    Raises:
        BadInput: if a source cannot be used; with several robots the error names the robot.
    """
    source = settings.source
    if isinstance(source, Part):
        return Plans({ALL: Plan([source])})
    if settings.robots:
        configured = [robot for robot in robots if robot.entry is not None]
        return Plans(_open_several(configured, settings.hands, settings.functions))
    if source is None:
        return Plans({})
    bodies = [robot.body for robot in robots]
    wheels = [found for robot in robots if (found := _wheels(robot.body, robot.entry)) is not None]
    plan = open_source(
        source,
        robots=bodies,
        hands=settings.hands,
        wheels=wheels[-1] if wheels else None,
        functions=settings.functions,
    )
    return Plans({ALL: plan})


def _wheels(body: Body, entry: Robot | None) -> DifferentialDrive | None:
    if entry is None or entry.wheels is None:
        return None
    return differential_drive(body, entry.wheels)


def _open_several(
    robots: Sequence[SceneRobot], hands: Sequence[NamedHand], functions: Functions
) -> dict[str, Plan]:
    """Open the plans of all robots that have one, by name."""
    entries = {robot.body.name: robot.entry for robot in robots}
    named = {name: entry for name, entry in entries.items() if isinstance(entry, NamedRobot)}
    namespaces = {name: (entry.namespace or name).strip("/") for name, entry in named.items()}
    bodies = {robot.body.name: robot.body for robot in robots}
    with ExitStack() as opened:
        plans: dict[str, Plan] = {}
        for name, entry in named.items():
            if entry.source is None:
                continue
            body = replace(bodies[name], one_of_several=False)  # a plan only knows its own robot
            try:
                plan = open_source(
                    _in_namespace(_mapping(entry.source), name, namespaces),
                    robots=[body],
                    others=[other for key, other in namespaces.items() if key != name],
                    hands=[hand for hand in hands if hand.robot == name],
                    wheels=_wheels(body, entry),
                    functions=functions,
                )
            except BadInput as error:
                inner = (error.where or "").removeprefix("source").lstrip(".")
                where = f"robots.{name}.source.{inner}".rstrip(".")
                raise error.at(where, error.file) from None
            plans[name] = opened.enter_context(closing(plan))
        opened.pop_all()
    return plans


def _mapping(source: Any) -> dict[str, Any]:
    """Convert a given source to a mapping."""
    if isinstance(source, str):
        return {"recording": source}
    given: dict[str, Any] = source.model_dump(mode="json", exclude_unset=True)
    return given


def _in_namespace(
    spec: Mapping[str, Any], name: str, namespaces: Mapping[str, str]
) -> Mapping[str, Any]:
    """Restrict the spec to topics in the robot's namespace, unless it names topics.

    Raises:
        BadInput: if all topics with joint states belong to another robot.
    """
    for kind in ("live", "commands"):
        if kind in spec:
            return {**spec, kind: spec[kind] or namespaces[name]}
    path = spec.get("recording")
    if not isinstance(path, str) or spec.get("joint_states"):
        return spec
    bag = Bag(Path(path).expanduser())
    try:
        joints = joint_topics(bag)
        annotations = [t.name for t in bag.topics.values() if t.type == ACTION_ANNOTATION]
    finally:
        bag.close()
    own_topics = [topic for topic in joints if _is_in(topic, namespaces[name])]
    if not own_topics:
        _check_not_of_another(path, joints, name, namespaces)
        return spec
    restricted: dict[str, Any] = {**spec, "joint_states": own_topics}
    if spec.get("annotations") is None:
        others = [other for key, other in namespaces.items() if key != name]
        restricted["annotations"] = [
            {"topic": topic}
            for topic in annotations
            if not any(_is_in(topic, other) for other in others)
        ]
    return restricted


def _check_not_of_another(
    path: str, joints: list[str], name: str, namespaces: Mapping[str, str]
) -> None:
    for other, namespace in namespaces.items():
        if other != name and joints and all(_is_in(topic, namespace) for topic in joints):
            raise BadInput(
                f"this is the recording of another robot: its topics are in the namespace of {other}",
                file=path,
                where="recording",
                found=", ".join(joints),
                expected=f"topics such as /{namespaces[name]}/joint_states, or joint_states: with the topics to take",
            )


def _is_in(topic: str, namespace: str) -> bool:
    return topic.startswith(f"/{namespace}/")
