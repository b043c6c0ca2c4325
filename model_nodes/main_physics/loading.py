"""Composes the world from the world file, the robot's file and the scenario."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.robot import FollowedBase, Robot
from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.driving import with_drives
from model_nodes.main_physics.settings import NamedHand, Settings, changed_bodies
from model_nodes.main_physics.wheels import with_tyres
from model_nodes.main_physics.world.description import (
    Base,
    Body,
    Geometry,
    HandFrame,
    JointKind,
    World,
    frame_name,
    joint_name,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.reader import read_model_file, read_world
from model_nodes.main_physics.world.transforms import pose_of
from model_nodes.main_physics.world.urdf.reader import read_urdf

ROBOTS = (".urdf", ".xacro", ".xml", ".usd", ".usda", ".usdc", ".usdz")
"""Suffixes of robot files."""


def load_world(settings: Settings) -> World:
    """Read all files.

    Raises:
        BadInput: if a file is missing or malformed, or names do not match.
    """
    notes = Notes()
    packages = _packages(settings)
    world = (
        World("empty") if settings.world is None else read_world(settings.world, notes, packages)
    )
    bodies = list(world.bodies)
    robots = _robots(settings, notes)
    if robots:
        bodies += robots
    else:
        bodies = _with_included_robot(bodies)
    bodies += _added_objects(settings, {body.name for body in bodies}, notes)
    bodies = [_with_pose(body, settings) for body in changed_bodies(bodies, settings.bodies)]
    _check_entities(settings, bodies)
    hands = tuple(_hand(hand, _owner(hand, bodies)) for hand in settings.hands)
    loaded = replace(world, bodies=tuple(bodies), hands=hands, warnings=notes.all())
    _check_unique_names(loaded)
    return loaded


def _added_objects(settings: Settings, present: Container[str], notes: Notes) -> list[Body]:
    """The objects that the scene adds to the world, except those that are marked `if_absent` and already `present`."""
    bodies: list[Body] = []
    for name, entry in settings.scene.items():
        if entry.model is None or (entry.if_absent and name in present):
            continue
        try:
            bodies += read_model_file(entry.model, name, _resources(settings), notes)
            if entry.note:
                notes.add(f"{name}: {entry.note}")
        except BadInput as error:
            where = f"scene.{name}: {error.where}" if error.where else f"scene.{name}"
            raise error.at(where, error.file) from None
    return bodies


def _resources(settings: Settings) -> Resources:
    """Files are named relative to the folder of the world's file."""
    base = Path.cwd() if settings.world is None else settings.world.parent
    return Resources(base, packages=_packages(settings))


def _packages(settings: Settings) -> dict[str, Path]:
    return {name: Path(folder) for name, folder in settings.packages.items()}


def _robots(settings: Settings, notes: Notes) -> list[Body]:
    """The robots that the scenario names: a single one, or several with names of their own."""
    resources = _resources(settings)
    if settings.robot is not None:
        return [_robot(settings.robot, resources, notes)]
    robots: list[Body] = []
    for name, robot in settings.robots.items():
        try:
            body = _robot(robot, resources, notes)
        except BadInput as error:
            where = (error.where or "").replace("robot", f"robots.{name}", 1)
            raise error.at(where, error.file) from None
        robots.append(replace(body, name=name, one_of_several=True))
    return robots


def _owner(hand: NamedHand, bodies: Sequence[Body]) -> Body | None:
    """The robot that the hand belongs to."""
    robots = [body for body in bodies if body.robot]
    return next((body for body in robots if hand.robot in (None, body.name)), None)


def _robot(robot: Robot, resources: Resources, notes: Notes) -> Body:
    try:
        file = resources.find(robot.urdf)
    except BadInput as error:
        raise error.at("robot.urdf") from None
    pose = pose_of(robot.pose)
    meshes = resources.only_beside(file.parent)
    body = read_urdf(file, notes, name=robot.name or "", pose=pose, resources=meshes)
    movable = {joint.name for joint in body.moving_joints}
    for name in robot.joints_at_start:
        if name not in movable:
            raise BadInput(
                "the robot has no such joint that moves",
                where=f"robot.joints_at_start.{name}",
                found=name,
                expected=f"one of {', '.join(sorted(movable))}",
            )
    body = _set_base(_add_springs(_drop_collisions(body, robot.no_collision), robot.springs), robot)
    return with_tyres(replace(body, joints=with_drives(body.joints, robot.drives)), robot.wheels)


def _set_base(body: Body, robot: Robot) -> Body:
    base = Base.FOLLOWED if isinstance(robot.base, FollowedBase) else Base(robot.base.value)
    return replace(body, base=base, static=base is Base.FIXED)


def _drop_collisions(body: Body, patterns: Sequence[str]) -> Body:
    """Remove the collisions of links; their collision shapes are not displayed either."""
    matched: set[str] = set()
    for index, pattern in enumerate(patterns):
        matching = {link.name for link in body.links if fnmatchcase(link.name, pattern)}
        if not matching:
            raise BadInput(
                "the robot has no such link",
                where=f"robot.no_collision.{index}",
                found=pattern,
                expected="the name of a link, or a pattern such as hand_safety_*",
            )
        matched |= matching
    links = tuple(
        replace(
            link,
            geometries=tuple(_hidden(g) if g.collides else g for g in link.geometries),
        )
        if link.name in matched
        else link
        for link in body.links
    )
    return replace(body, links=links)


def _hidden(geometry: Geometry) -> Geometry:
    return replace(geometry, collides=False, rgba=(*geometry.rgba[:3], 0.0))


def _add_springs(body: Body, springs: Mapping[str, float]) -> Body:
    joints = list(body.joints)
    for pattern, stiffness in springs.items():
        matching = [
            i
            for i, joint in enumerate(joints)
            if joint.kind is not JointKind.FIXED and fnmatchcase(joint.name, pattern)
        ]
        if not matching:
            raise BadInput(
                "the robot has no such joint that moves",
                where=f"robot.springs.{pattern}",
                found=pattern,
                expected="the name of a joint, or a pattern such as finger_*",
            )
        for i in matching:
            joints[i] = replace(joints[i], spring=stiffness, mimic=None)
    return replace(body, joints=tuple(joints))


def _with_included_robot(bodies: Sequence[Body]) -> list[Body]:
    # A world may include the robot, as is usual for Gazebo.
    urdfs = [b for b in bodies if b.file and b.file.suffix in ROBOTS and b.moving_joints]
    if len(urdfs) != 1:
        return list(bodies)
    return [replace(b, robot=True, static=True) if b is urdfs[0] else b for b in bodies]


def _with_pose(body: Body, settings: Settings) -> Body:
    entry = settings.scene.get(body.name)
    return body if entry is None or entry.pose is None else replace(body, pose=pose_of(entry.pose))


def _check_entities(settings: Settings, bodies: Sequence[Body]) -> None:
    names = {body.name for body in bodies}
    for name, entry in settings.scene.items():
        if entry.pose is not None and name not in names:
            raise BadInput(
                "the world has no such entity",
                where=f"scene.{name}",
                found=name,
                expected=f"one of {', '.join(sorted(names))}",
            )


def _hand(hand: NamedHand, robot: Body | None) -> HandFrame:
    where = f"hands.{hand.name}"
    if robot is None:
        raise BadInput("there is no robot for this hand", where=where, expected="a robot")
    links = [link.name for link in robot.links]
    if hand.link not in links:
        raise BadInput(
            "the robot has no such link",
            where=f"{where}.link",
            found=hand.link,
            expected=f"one of {', '.join(links)}",
        )
    joints = {joint.name: joint for joint in robot.moving_joints}
    for name in hand.joints:
        if name not in joints:
            raise BadInput(
                "the robot has no such joint that moves",
                where=f"{where}.joints",
                found=name,
                expected=f"one of {', '.join(joints)}",
            )
    roots = {hand.link, *(joints[n].child for n in hand.joints)}
    roots |= {joints[n].parent for n in hand.joints}
    return HandFrame(
        hand.name,
        robot.name,
        hand.link,
        frame_name(robot, hand.link),
        pose_of(hand.offset),
        descendant_frames(robot, roots),
        tuple(joint_name(robot, joints[name]) for name in hand.joints),
    )


def descendant_frames(robot: Body, roots: set[str]) -> tuple[str, ...]:
    """Return the frames of these links and of all their descendants."""
    members = set(roots)
    for joint in robot.joints:  # parents come before their children
        if joint.parent in members:
            members.add(joint.child)
    return tuple(frame_name(robot, link.name) for link in robot.links if link.name in members)


def _check_unique_names(world: World) -> None:
    owner: dict[str, str] = {WORLD: "the fixed frame"}
    for body in world.bodies:
        names = [frame_name(body, link.name) for link in body.links]
        if body.robot:
            names.append(body.name)
        claimant = f"{'robot' if body.robot else 'model'} {body.name}"
        for name in names:
            _claim(owner, name, claimant, claimant, body.file)
    for hand in world.hands:
        _claim(owner, hand.name, f"hand {hand.name}", f"hands.{hand.name}", None)


def _claim(owner: dict[str, str], name: str, claimant: str, where: str, file: Path | None) -> None:
    if name in owner:
        raise BadInput(
            f"{owner[name]} and {claimant} both use the name {name!r}",
            file=file,
            where=where,
            found=name,
            expected="names that are unique in the scene (robot.name renames a robot)",
        )
    owner[name] = claimant
