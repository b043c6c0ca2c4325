"""Finds the file of a model that a world or another model includes."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.robot_xml import open_description, read_robot_xml
from model_nodes.main_physics.world.xml_file import Element, read_xml

KNOWN_IN_INCLUDE = {"uri", "name", "pose", "static", "placement_frame"}


def included_root(include: Element, resources: Resources) -> Element:
    """Read the file of an ``<include>``.

    Raises:
        BadInput: if it is missing or malformed.
    """
    uri = include.need("uri")
    try:
        found = resources.find(uri.required_text("a file or folder"))
    except BadInput as error:
        raise uri.bad(error.problem, error.found, error.expected) from None
    return model_root(found)


def model_root(found: Path) -> Element:
    """Read the root element of a model's file, or of the newest file in a model's folder.

    Raises:
        BadInput: if it is missing or malformed.
    """
    file = _model_file(found) if found.is_dir() else found
    root = open_description(file)
    if isinstance(root, Element) and root.tag != "robot":
        return root
    return read_robot_xml(file)


def only_model(root: Element) -> Element:
    """Return the only model of a file.

    Raises:
        BadInput: unless the file is SDFormat and contains exactly one model.
    """
    if root.tag != "sdf":
        raise root.bad(
            "is neither SDFormat nor a robot", f"<{root.tag}>", "<sdf>, <robot> or <mujoco>"
        )
    models = list(root.all("model"))
    if len(models) != 1:
        raise root.bad(f"has {len(models)} models", expected="exactly one <model> to include")
    return models[0]


def given_name(include: Element) -> str:
    """Return the name that an ``<include>`` gives to the model, or an empty text."""
    element = include.child("name")
    return "" if element is None else element.required_text("a name")


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
