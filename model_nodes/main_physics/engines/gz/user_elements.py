"""Puts the elements that hetwin itself has no use for back into the world that Gazebo loads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as ET

from model_nodes.main_physics.engines.gz.sdf_parts import add_pose
from model_nodes.main_physics.world.description import Extra
from model_nodes.main_physics.world.xml_file import Element

IN_EVERY_PROXY = ("collision", "gravity", "velocity_decay")
"""Elements of links that every proxy of an object has; all others are with one of them only."""


def put(owner: ET.Element, extras: Iterable[Extra]) -> list[ET.Element]:
    """Add elements to their owner's; what hetwin has written itself remains. Returns those added."""
    added: list[ET.Element] = []
    for extra in extras:
        parent = owner
        for tag in extra.inside.split("/") if extra.inside else ():
            found = parent.find(tag)
            parent = ET.SubElement(parent, tag) if found is None else found
        name = extra.element.attributes.get("name")
        if name is None and parent.find(extra.tag) is not None:
            continue
        made = as_tree(extra.element)
        if name is not None:
            made.set("name", _unused(name, parent))
        if extra.pose is not None:
            for pose in made.findall("pose"):
                made.remove(pose)
            add_pose(made, extra.pose)
        parent.append(made)
        added.append(made)
    return added


def as_tree(element: Element) -> ET.Element:
    """Convert an element to one of the standard library."""
    made = ET.Element(element.tag, element.attributes)
    made.text = element.text.strip() or None
    made.extend(as_tree(child) for child in element.children)
    return made


def _unused(name: str, parent: ET.Element) -> str:
    taken = {child.get("name") for child in parent if child.tag != "plugin"}
    while name in taken:
        name += "_"
    return name


def plugins(extras: Iterable[Extra]) -> Iterator[tuple[str, Element]]:
    """Iterate over all plugins of the server: (place, ``<plugin>``), also those inside other elements."""
    for extra in extras:
        if extra.tag != "gui":
            yield from ((extra.place, found) for found in _plugins(extra.element))


def _plugins(element: Element) -> Iterator[Element]:
    if element.tag == "plugin":
        yield element
        return
    for child in element.children:
        yield from _plugins(child)
