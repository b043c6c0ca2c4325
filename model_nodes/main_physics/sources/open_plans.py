"""Opens what moves robots; in a recording with several, a robot's topics are those in its namespace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import OneOfSeveral, Robot
from model_nodes.main_physics.robots import SceneRobot
from model_nodes.main_physics.settings import NamedHand, Settings
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.bag_types import ACTION_ANNOTATION
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.joint_topics import joint_topics
from model_nodes.main_physics.sources.part import Part
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.sources.plans import ALL, Plans
from model_nodes.main_physics.wheels import DifferentialDrive, differential_drive
from model_nodes.main_physics.world.description import Body


def open_plans(settings: Settings, robots: Sequence[SceneRobot]) -> Plans:
    """Open what moves each robot; none if nothing does.

    Raises:
        BadInput: if it cannot be used; with several robots it names the one.
    """
    source = settings.source
    if isinstance(source, Part):
        return Plans({ALL: Plan([source])})
    if settings.robots:
        return Plans(_of_several([r for r in robots if r.said is not None], settings.hands))
    if source is None:
        return Plans({})
    bodies = [robot.body for robot in robots]
    wheels = [wheels for robot in robots if (wheels := _wheels(robot.body, robot.said)) is not None]
    plan = open_source(
        source, robots=bodies, hands=settings.hands, wheels=wheels[-1] if wheels else None
    )
    return Plans({ALL: plan})


def _wheels(body: Body, said: Robot | None) -> DifferentialDrive | None:
    if said is None or said.wheels is None:
        return None
    return differential_drive(body, said.wheels)


def _of_several(robots: Sequence[SceneRobot], hands: Sequence[NamedHand]) -> dict[str, Plan]:
    """Open the plans of all robots that have one, by name."""
    said = {robot.body.name: robot.said for robot in robots}
    several = {name: one for name, one in said.items() if isinstance(one, OneOfSeveral)}
    namespaces = {name: (one.namespace or name).strip("/") for name, one in several.items()}
    bodies = {robot.body.name: robot.body for robot in robots}
    with ExitStack() as opened:
        plans: dict[str, Plan] = {}
        for name, one in several.items():
            if one.source is None:
                continue
            body = replace(bodies[name], one_of_several=False)  # a plan knows its robot only
            try:
                plan = open_source(
                    _in_namespace(_mapping(one.source), name, namespaces),
                    robots=[body],
                    others=[other for key, other in namespaces.items() if key != name],
                    hands=[hand for hand in hands if hand.robot == name],
                    wheels=_wheels(body, one),
                )
            except BadInput as error:
                inner = (error.where or "").removeprefix("source").lstrip(".")
                where = f"robots.{name}.source.{inner}".rstrip(".")
                raise error.at(where, error.file) from None
            plans[name] = opened.enter_context(closing(plan))
        opened.pop_all()
    return plans


def _mapping(source: Any) -> dict[str, Any]:
    """A source as a mapping of what was given."""
    if isinstance(source, str):
        return {"recording": source}
    given: dict[str, Any] = source.model_dump(mode="json", exclude_unset=True)
    return given


def _in_namespace(
    spec: Mapping[str, Any], name: str, namespaces: Mapping[str, str]
) -> Mapping[str, Any]:
    """The spec with the topics of the robot's namespace, where it names none.

    Raises:
        BadInput: if all topics with joint states are those of another robot.
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
    own = [topic for topic in joints if _is_in(topic, namespaces[name])]
    if not own:
        _check_not_of_another(path, joints, name, namespaces)
        return spec
    taken: dict[str, Any] = {**spec, "joint_states": own}
    if spec.get("annotations") is None:
        others = [other for key, other in namespaces.items() if key != name]
        taken["annotations"] = [
            {"topic": topic}
            for topic in annotations
            if not any(_is_in(topic, other) for other in others)
        ]
    return taken


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
