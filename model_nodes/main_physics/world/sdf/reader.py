"""Reads an SDFormat world.

Supports models, also nested ones, links, joints (fixed, revolute, prismatic, continuous, universal, ball), frames,
inertials, geometries, sliding friction, colours, gravity, and includes of SDFormat models and URDF files. All other
elements are kept as `Extra`, for Gazebo. Gazebo's engines combine the friction of two bodies by the minimum, MuJoCo by
the maximum.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from model_nodes.main_physics.world.description import Body, Extra, Vector, World
from model_nodes.main_physics.world.mjcf.compiled import is_usd
from model_nodes.main_physics.world.mjcf_world import read_mjcf_world
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import MJCF
from model_nodes.main_physics.world.sdf.extras import Keeper
from model_nodes.main_physics.world.sdf.frames import Frames
from model_nodes.main_physics.world.sdf.include import read_include
from model_nodes.main_physics.world.sdf.model import Placement, read_model
from model_nodes.main_physics.world.sdf.values import Context, version_of
from model_nodes.main_physics.world.xml_file import Element, read_xml

_KNOWN = {"gravity", "model", "include", "frame"}
_DEFAULT_GRAVITY: Vector = (0.0, 0.0, -9.8)
"""SDFormat's default [m/s^2]."""


def read_world(
    file: Path, notes: Notes | None = None, packages: Mapping[str, Path] | None = None
) -> World:
    """Read the world of an SDFormat or MJCF file.

    Args:
        file: the world.
        notes: what is not carried over is added here, by name.
        packages: package -> its folder, of packages that are searched for nowhere else.

    Raises:
        BadInput: if the file is malformed or refers to missing files; names file and line.
    """
    notes = notes or Notes()
    if is_usd(file):
        return read_mjcf_world(file, notes)
    root = read_xml(file)
    if root.tag == MJCF:
        return read_mjcf_world(file, notes)
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
    keeper = Keeper(resources)
    extras = keeper.unknown(world, _KNOWN, context, frames)
    bodies: list[Body] = []
    for element in world.all("model", "include"):
        if element.tag == "include":
            include = includes[id(element)]
            bodies += include.bodies(frames.pose(include.name, element))
            if include.actor is not None:
                inside = Keeper(resources.beside(include.actor.file.parent))
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
