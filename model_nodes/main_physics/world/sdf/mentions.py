"""Which links and joints the elements of a file need, so that they are not lumped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from model_nodes.main_physics.world.description import Extra, Joint, JointKind, Link
from model_nodes.main_physics.world.xml_file import Element

_ONLY_LOOKS = ("visual", "collision")
"""Kept elements of a link that its lump can have as well."""


def mentioned(extra: Extra) -> set[str]:
    """Return all texts in an element, as names of links and joints of the outer model."""
    texts = set(_texts(extra.element))
    return {f"{extra.scope}::{text}" for text in texts} if extra.scope else texts


def with_links_apart(
    links: Sequence[Link], joints: Sequence[Joint], extras: Sequence[Extra]
) -> list[Joint]:
    """Set fixed joints apart if elements of the file need their child, or the joint itself.

    Args:
        links: of the model.
        joints: of the model.
        extras: the model's own.
    """
    needed = {name for extra in extras for name in mentioned(extra)}
    needed |= {link.name for link in links if any(e.tag not in _ONLY_LOOKS for e in link.extras)}
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
