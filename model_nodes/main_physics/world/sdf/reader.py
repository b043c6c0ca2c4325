"""Reads an SDFormat world: its own models, and those that it includes from other files.

Supports models (including nested ones), links, joints (fixed, revolute, prismatic, continuous, universal, ball),
frames, inertials, geometries, sliding friction, colours, gravity, and includes of SDFormat models and URDF files. All
other elements are kept as `Extra`, for Gazebo. Gazebo's engines use the smaller friction coefficient of two bodies,
MuJoCo the larger one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Extra,
    Joint,
    JointKind,
    Link,
    Pose,
    Vector,
    World,
)
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import open_description
from model_nodes.main_physics.world.sdf.frames import (
    NEWEST,
    Context,
    ExtraCollector,
    Frames,
    read_pose,
    transformed_extras,
    version_of,
)
from model_nodes.main_physics.world.sdf.joints import Tree, trees_of
from model_nodes.main_physics.world.sdf.model_files import (
    KNOWN_IN_INCLUDE,
    given_name,
    included_root,
    model_root,
    only_model,
)
from model_nodes.main_physics.world.sdf.model_parts import ModelParts, read_parts
from model_nodes.main_physics.world.transforms import compose, invert
from model_nodes.main_physics.world.urdf.reader import read_urdf
from model_nodes.main_physics.world.xml_file import Element, parse_xml, read_bool

_MERGEABLE = ("visual", "collision")
"""Kept elements of a link that do not prevent merging it with another link."""


def mentioned_texts(extra: Extra) -> set[str]:
    """Return all texts in an element; in a nested model with the prefix that its links and joints have outside."""
    texts = set(_texts(extra.element))
    return {f"{extra.scope}::{text}" for text in texts} if extra.scope else texts


def with_links_apart(
    links: Sequence[Link], joints: Sequence[Joint], extras: Sequence[Extra]
) -> list[Joint]:
    """Mark fixed joints as `apart` if elements of the file refer to their child or to the joint itself.

    Args:
        links: links of the model.
        joints: joints of the model.
        extras: extras of the model itself.
    """
    needed = {name for extra in extras for name in mentioned_texts(extra)}
    needed |= {link.name for link in links if any(e.tag not in _MERGEABLE for e in link.extras)}
    return [
        replace(joint, apart=True)
        if joint.kind is JointKind.FIXED
        and (joint.name in needed or joint.child in needed or _has_sensor(joint))
        else joint
        for joint in joints
    ]


def _has_sensor(joint: Joint) -> bool:
    return any(extra.tag == "sensor" for extra in joint.extras)


def _texts(element: Element) -> Iterator[str]:
    if not element.children and element.text.strip():
        yield element.text.strip()
    for child in element.children:
        yield from _texts(child)


@dataclass(frozen=True, slots=True)
class Placement:
    """Overrides of a model by an include or the world.

    Attributes:
        name: overrides the model's name if not empty.
        pose: pose of the model (or of its placement frame) in the world; None: the model's own pose.
        static: overrides the model's ``<static>`` if not None.
        frame: the placement frame; empty for the model's own frame.
        extras: elements that the include adds to the model.
    """

    name: str = ""
    pose: Pose | None = None
    static: bool | None = None
    frame: str = ""
    extras: tuple[Extra, ...] = ()


def read_model(
    element: Element, placement: Placement, resources: Resources, context: Context, file: Path
) -> list[Body]:
    """Read the bodies of a model: one for each group of links that joints connect.

    `placement.pose` must be given unless the model's own pose is in the world's frame.

    Raises:
        BadInput: if the model is invalid.
    """
    name = placement.name or element.need_attribute("name")
    context = context.at(f"model {name}")
    static = placement.static
    if static is None:
        element_static = element.child("static")
        static = False if element_static is None else read_bool(element_static)
    parts = read_parts(element, resources, context, static=static)
    if not parts.links:
        if not static:
            raise element.bad("has no links", expected="at least one <link>")
        parts = replace(parts, links=[Link("link")])
    pose = _model_pose(element, placement, parts)
    joints = parts.joints
    if static:
        # Nothing in a static model moves, regardless of its joints.
        first, *others = [link.name for link in parts.links]
        joints = [Joint(f"fixed_{n}", JointKind.FIXED, first, n) for n in others]
    extras = (*parts.extras, *placement.extras)
    joints = with_links_apart(parts.links, joints, extras)
    trees = trees_of(name, element, parts.links, joints, static)
    return _bodies(trees, extras, pose, file)


def _model_pose(element: Element, placement: Placement, parts: ModelParts) -> Pose:
    pose = placement.pose if placement.pose is not None else IDENTITY
    frame = placement.frame or element.attributes.get("placement_frame", "").strip()
    if not frame:
        return pose
    return compose(pose, invert(parts.frames.pose(frame, element)))


def _bodies(trees: Sequence[Tree], extras: Sequence[Extra], pose: Pose, file: Path) -> list[Body]:
    """Create the bodies; each extra of the model goes to the tree whose links or joints it mentions."""
    names = [{k.name for k in tree.links} | {j.name for j in tree.joints} for tree in trees]
    owned: list[list[Extra]] = [[] for _ in trees]
    for extra in extras:
        found = mentioned_texts(extra)
        owner = next((i for i, own in enumerate(names) if own & found), 0)
        owned[owner].append(extra)
    return [
        Body(
            tree.name,
            tree.links,
            tree.joints,
            compose(pose, tree.pose),
            tree.static,
            file=file,
            extras=transformed_extras(tuple(own), invert(tree.pose)),
        )
        for tree, own in zip(trees, owned, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Include:
    """An include that has been read but not placed.

    Attributes:
        name: name of the included model.
        bodies: returns its bodies at a pose.
        actor: the element, if an actor or a light is included.
    """

    name: str
    bodies: Callable[[Pose], list[Body]]
    actor: Element | None = None


def read_include(element: Element, resources: Resources, context: Context) -> Include:
    """Read the file of an ``<include>``.

    Raises:
        BadInput: if it is missing or malformed.
    """
    root = included_root(element, resources)
    name = given_name(element)
    actor = next(root.all("actor", "light"), None) if root.tag == "sdf" else None
    if actor is not None and not list(root.all("model")):
        return _actor(element, actor, name)
    static = element.child("static")
    placement_frame = element.child("placement_frame")
    placement = Placement(
        name,
        static=None if static is None else read_bool(static),
        frame="" if placement_frame is None else placement_frame.required_text("a frame"),
        extras=ExtraCollector(resources).unknown(element, KNOWN_IN_INCLUDE, context),
    )
    return _read(root, placement, resources, context, placed=element.child("pose") is not None)


def read_model_file(reference: str, name: str, resources: Resources, notes: Notes) -> list[Body]:
    """Read a model as if the world included it; its pose is that in its file.

    Args:
        reference: a file or folder, as in ``<uri>``, or the text of SDFormat.
        name: name of the body.
        resources: search path for the file.
        notes: collects notes on parts that are not carried over.

    Raises:
        BadInput: if it is missing or malformed.
    """
    if reference.startswith("<"):
        root = parse_xml(reference.encode(), resources.base / f"{name}.sdf")
    else:
        root = model_root(resources.find(reference))
    context = Context(f"model {name}", notes, NEWEST)
    return _read(root, Placement(name), resources, context, placed=False).bodies(IDENTITY)


def _actor(include: Element, actor: Element, name: str) -> Include:
    """Include an actor or a light, with the elements that the include adds; the include's pose overrides its own."""
    name = name or actor.need_attribute("name")
    added = [child for child in include.children if child.tag not in ("uri", "name", "pose")]
    inside = [child for child in actor.children if child.tag != "pose"]
    pose = include.child("pose") or actor.child("pose")
    children = [*([] if pose is None else [pose]), *inside, *added]
    merged = replace(actor, attributes={**actor.attributes, "name": name}, children=children)
    return Include(name, lambda _pose: [], merged)


def _read(
    root: Element, placement: Placement, resources: Resources, context: Context, *, placed: bool
) -> Include:
    """Read an SDFormat or URDF file; `placed` is whether the include has a pose."""
    inside = resources.beside(root.file.parent)
    if root.tag == "robot":
        return _robot(root, placement, inside, context)
    return _model(root, placement, inside, context, placed=placed)


def _robot(root: Element, placement: Placement, resources: Resources, context: Context) -> Include:
    name = placement.name or root.need_attribute("name")

    def bodies(pose: Pose) -> list[Body]:
        # As in Gazebo: a URDF in a world is free unless its root link is named world.
        static = placement.static
        if static is None:
            static = any(e.attributes.get("name") == WORLD for e in root.all("link"))
        body = read_urdf(
            root.file,
            context.notes,
            name=name,
            pose=pose,
            static=static,
            driven=False,
            resources=resources,
        )
        return [replace(body, extras=body.extras + placement.extras)]

    return Include(name, bodies)


def _model(
    root: Element, placement: Placement, resources: Resources, context: Context, *, placed: bool
) -> Include:
    model = only_model(root)
    name = placement.name or model.need_attribute("name")
    inner = replace(context, version=version_of(root))

    def bodies(pose: Pose) -> list[Body]:
        # The include's pose overrides the model's.
        model_pose = pose if placed else compose(pose, read_pose(model.child("pose")))
        placement_here = replace(placement, name=name, pose=model_pose)
        return read_model(model, placement_here, resources, inner, root.file)

    return Include(name, bodies)


_KNOWN = {"gravity", "model", "include", "frame"}
_DEFAULT_GRAVITY: Vector = (0.0, 0.0, -9.8)
"""SDFormat's default gravity [m/s^2]."""


def read_world(
    file: Path, notes: Notes | None = None, packages: Mapping[str, Path] | None = None
) -> World:
    """Read the world of an SDFormat file, or of a file that a package reads.

    Args:
        file: the world.
        notes: collects notes on parts that are not carried over.
        packages: package -> its folder, the only one in which the package is searched for.

    Raises:
        BadInput: with file and line, if the file is malformed or refers to missing files.
    """
    notes = notes or Notes()
    root = open_description(file)
    if not isinstance(root, Element):
        return root.world(notes)
    if root.tag != "sdf":
        raise root.bad(
            "is neither SDFormat nor MJCF",
            f"<{root.tag}>",
            "<sdf> of SDFormat, or <mujoco> of MJCF",
        )
    context = Context(f"world {file.name}", notes, version_of(root))
    worlds = list(root.all("world"))
    if len(worlds) != 1:
        raise root.bad(f"has {len(worlds)} worlds", expected="exactly one <world>")
    world = worlds[0]
    resources = Resources(file.parent, packages=packages)
    bodies, extras = _contents(world, resources, context, file)
    _check_unique(world, bodies)
    gravity = world.child("gravity")
    x, y, z = _DEFAULT_GRAVITY if gravity is None else gravity.numbers(3)
    name = world.attributes.get("name", file.stem)
    return World(name, tuple(bodies), (x, y, z), warnings=notes.all(), extras=extras)


def _contents(
    world: Element, resources: Resources, context: Context, file: Path
) -> tuple[list[Body], tuple[Extra, ...]]:
    frames = Frames("world")
    includes = {}
    for element in world.all("model", "frame"):
        base = element.attributes.get("attached_to", "").strip() if element.tag == "frame" else ""
        frames.add(element, element.need_attribute("name"), base)
    for element in world.all("include"):
        includes[id(element)] = include = read_include(element, resources, context)
        frames.add(element, include.name, "")
    keeper = ExtraCollector(resources)
    extras = keeper.unknown(world, _KNOWN, context, frames)
    bodies: list[Body] = []
    for element in world.all("model", "include"):
        if element.tag == "include":
            include = includes[id(element)]
            bodies += include.bodies(frames.pose(include.name, element))
            if include.actor is not None:
                inside = ExtraCollector(resources.beside(include.actor.file.parent))
                extras += (inside.keep(include.actor, context, frames),)
            continue
        name = element.attributes["name"]
        placement = Placement(pose=frames.pose(name, element))
        bodies += read_model(element, placement, resources, context, file)
    return bodies, extras


def _check_unique(world: Element, bodies: list[Body]) -> None:
    seen: set[str] = set()
    for body in bodies:
        if body.name in seen:
            raise world.bad("has two bodies of the same name", body.name, "unique names")
        seen.add(body.name)
