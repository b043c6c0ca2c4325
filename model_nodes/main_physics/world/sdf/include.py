"""Reads ``<include>``: SDFormat models and URDF robots in other files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.world.description import IDENTITY, Body, Pose
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.extras import Keeper
from model_nodes.main_physics.world.sdf.model import Placement, read_model
from model_nodes.main_physics.world.sdf.model_files import (
    KNOWN_IN_INCLUDE,
    given_name,
    included_root,
    model_root,
    only_model,
)
from model_nodes.main_physics.world.sdf.values import NEWEST, Context, read_pose, version_of
from model_nodes.main_physics.world.transforms import compose
from model_nodes.main_physics.world.urdf.reader import read_urdf
from model_nodes.main_physics.world.xml_file import Element, truth


@dataclass(frozen=True, slots=True)
class Include:
    """An include, read but not yet placed.

    Attributes:
        name: of what is included.
        bodies: returns them at a pose.
        actor: the element, if an actor or a light is included.
    """

    name: str
    bodies: Callable[[Pose], list[Body]]
    actor: Element | None = None


def read_include(element: Element, resources: Resources, context: Context) -> Include:
    """Read the file that an ``<include>`` names.

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
        static=None if static is None else truth(static),
        frame="" if placement_frame is None else placement_frame.required_text("a frame"),
        extras=Keeper(resources).unknown(element, KNOWN_IN_INCLUDE, context),
    )
    return _read(root, placement, resources, context, placed=element.child("pose") is not None)


def read_model_file(reference: str, name: str, resources: Resources, notes: Notes) -> list[Body]:
    """Read one model as if the world included it; its pose is the one in its file.

    Args:
        reference: a file or folder, as in ``<uri>``.
        name: of the body.
        resources: search path for the file.
        notes: what is not carried over is added here.

    Raises:
        BadInput: if it is missing or malformed.
    """
    root = model_root(resources.find(reference))
    context = Context(f"model {name}", notes, NEWEST)
    return _read(root, Placement(name), resources, context, placed=False).bodies(IDENTITY)


def _actor(include: Element, actor: Element, name: str) -> Include:
    """Include an actor or a light, with what the include adds to it; its pose overrides the actor's."""
    name = name or actor.need_attribute("name")
    added = [child for child in include.children if child.tag not in ("uri", "name", "pose")]
    inside = [child for child in actor.children if child.tag != "pose"]
    pose = include.child("pose") or actor.child("pose")
    children = [*([] if pose is None else [pose]), *inside, *added]
    whole = replace(actor, attributes={**actor.attributes, "name": name}, children=children)
    return Include(name, lambda _pose: [], whole)


def _read(
    root: Element, placement: Placement, resources: Resources, context: Context, *, placed: bool
) -> Include:
    """Read SDFormat or URDF; `placed` is whether the include has a pose."""
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
        there = pose if placed else compose(pose, read_pose(model.child("pose")))
        placement_here = replace(placement, name=name, pose=there)
        return read_model(model, placement_here, resources, inner, root.file)

    return Include(name, bodies)
