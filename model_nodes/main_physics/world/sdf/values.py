"""Poses, versions and notes of SDFormat files."""

from __future__ import annotations

import math
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.world.description import IDENTITY, Pose
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.transforms import from_rpy, pose_of
from model_nodes.main_physics.world.xml_file import Element

OLDEST, NEWEST = (1, 4), (1, 12)


@dataclass(frozen=True, slots=True)
class Context:
    """The place in the world that is being read, the notes, and the file's version."""

    place: str
    notes: Notes
    version: tuple[int, int]

    def at(self, place: str) -> Context:
        """Return the context of a nested place."""
        separator = ": " if ":" not in self.place else ", "
        return Context(f"{self.place}{separator}{place}", self.notes, self.version)

    def note(self, text: str) -> None:
        """Add a note about this place."""
        self.notes.add(f"{self.place}: {text}")

    def leave_out(self, reference: str, error: BadInput) -> None:
        """Add a mesh that cannot be used, and why."""
        self.notes.leave_out(self.place.partition(":")[0], reference, error)

    def note_ignored(self, element: Element, known: AbstractSet[str]) -> None:
        """Add a note about every child whose tag is not known."""
        for tag in dict.fromkeys(c.tag for c in element.children if c.tag not in known):
            self.note(f"<{tag}> is not carried over")


def version_of(root: Element) -> tuple[int, int]:
    """Read the version of an ``<sdf>`` element.

    Raises:
        BadInput: if it is malformed or not supported.
    """
    text = root.need_attribute("version")
    expected = f"{OLDEST[0]}.{OLDEST[1]} to {NEWEST[0]}.{NEWEST[1]}"
    try:
        major, minor = (int(part) for part in text.split(".")[:2])
    except ValueError:
        raise root.bad("has a version that is not a number", text, expected) from None
    if not OLDEST <= (major, minor) <= NEWEST:
        raise root.bad("has a version that is not supported", text, expected)
    return major, minor


def read_pose(element: Element | None) -> Pose:
    """Read a ``<pose>``; returns the identity if there is none.

    Raises:
        BadInput: if it is not a pose.
    """
    if element is None or not element.text.strip():
        return IDENTITY
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = element.numbers(7)
        if qx * qx + qy * qy + qz * qz + qw * qw < 1e-12:
            raise element.bad(
                "has a quaternion of zero norm", [qx, qy, qz, qw], "a unit quaternion"
            )
        return pose_of([x, y, z, qw, qx, qy, qz])
    numbers = element.numbers(6)
    angles = numbers[3:]
    if element.attributes.get("degrees", "false").strip().lower() in ("true", "1"):
        angles = [math.radians(angle) for angle in angles]
    return from_rpy(numbers[:3], angles)


def relative_to(element: Element | None) -> str:
    """Return the frame that a ``<pose>`` names; empty if it names none."""
    return "" if element is None else element.attributes.get("relative_to", "").strip()
