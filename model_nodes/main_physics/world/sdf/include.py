"""Reads ``<include>``: SDFormat models and URDF robots in other files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import WORLD
from model_nodes.main_physics.world.description import IDENTITY, Body, Pose
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.sdf.model import Placement, read_model
from model_nodes.main_physics.world.sdf.values import NEWEST, Context, read_pose, version_of
from model_nodes.main_physics.world.transforms import compose
from model_nodes.main_physics.world.urdf.reader import read_urdf
from model_nodes.main_physics.world.xml_file import Element, read_xml, truth

_KNOWN = {"uri", "name", "pose", "static", "placement_frame"}


@dataclass(frozen=True, slots=True)
class Include:
    """An include, read but not yet placed."""

    name: str
    bodies: Callable[[Pose], list[Body]]


def read_include(element: Element, resources: Resources, context: Context) -> Include:
    """Read the file that an ``<include>`` names.

    Raises:
        BadInput: if it is missing or malformed.
    """
    context.note_ignored(element, _KNOWN)
    uri = element.need("uri")
    try:
        found = resources.find(uri.required_text("a file or folder"))
    except BadInput as error:
        raise uri.bad(error.problem, error.found, error.expected) from None
    root = _root(found)
    name_element = element.child("name")
    name = "" if name_element is None else name_element.required_text("a name")
    static = element.child("static")
    placement_frame = element.child("placement_frame")
    placement = Placement(
        name,
        static=None if static is None else truth(static),
        frame="" if placement_frame is None else placement_frame.required_text("a frame"),
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
    root = _root(resources.find(reference))
    context = Context(f"model {name}", notes, NEWEST)
    return _read(root, Placement(name), resources, context, placed=False).bodies(IDENTITY)


def _root(found: Path) -> Element:
    return read_xml(_model_file(found) if found.is_dir() else found)


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
        return [
            read_urdf(
                root.file,
                context.notes,
                name=name,
                pose=pose,
                static=static,
                robot=False,
                resources=resources,
            )
        ]

    return Include(name, bodies)


def _model(
    root: Element, placement: Placement, resources: Resources, context: Context, *, placed: bool
) -> Include:
    if root.tag != "sdf":
        raise root.bad("is neither SDFormat nor URDF", f"<{root.tag}>", "<sdf> or <robot>")
    models = list(root.all("model"))
    if len(models) != 1:
        raise root.bad(f"has {len(models)} models", expected="exactly one <model> to include")
    model = models[0]
    name = placement.name or model.need_attribute("name")
    inner = replace(context, version=version_of(root))

    def bodies(pose: Pose) -> list[Body]:
        # The include's pose overrides the model's.
        there = pose if placed else compose(pose, read_pose(model.child("pose")))
        placement_here = replace(placement, name=name, pose=there)
        return read_model(model, placement_here, resources, inner, root.file)

    return Include(name, bodies)


def _model_file(folder: Path) -> Path:
    config = folder / "model.config"
    if not config.is_file():
        for fallback in ("model.sdf", "model.urdf"):
            if (folder / fallback).is_file():
                return folder / fallback
        raise BadInput("contains no model", file=folder, expected="model.config or model.sdf")
    root = read_xml(config)
    entries = list(root.all("sdf"))
    if not entries:
        raise root.bad("names no SDFormat file", expected="<sdf>model.sdf</sdf>")
    newest = max(entries, key=_entry_version)
    file = folder / newest.required_text("a file")
    if not file.is_file():
        raise newest.bad("names a file that does not exist", newest.text.strip())
    return file


def _entry_version(entry: Element) -> tuple[int, ...]:
    words = entry.attributes.get("version", "0").split(".")
    return tuple(int(word) if word.isdigit() else 0 for word in words)
