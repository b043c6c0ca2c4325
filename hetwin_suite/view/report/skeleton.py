"""Robots without geometry, drawn as the bones between the frames of their links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.report.triangles import balls, drawn_shapes

BONE_RGB = (0.62, 0.66, 0.72)
_BARE = 2 / 3
"""A robot gets bones if a larger share of its moving links has nothing to draw."""
_THICKNESS = 0.055
"""Half that of a bone, as a share of the length of the longest."""
_LEAST_M = 5e-3
_SIDES = 6


class Bone(NamedTuple):
    """A bone from the frame of one link to that of another."""

    parent: str
    child: str


def bones(layout: Layout) -> list[Bone]:
    """The bones of all robots most of whose moving links have nothing to draw."""
    found = []
    for robot in layout.of_kind(EntityKind.ROBOT):
        links = [
            link
            for link in layout.of_kind(EntityKind.LINK)
            if link.owner == robot.name and layout.has(link.name, "pose")
        ]
        bare = {link.name for link in links if not drawn_shapes(link)}
        moved = [link for link in links if link.joint]
        if sum(link.name in bare for link in moved) > _BARE * len(moved):
            found += [Bone(link.parent, link.name) for link in links if _joins(link, bare, layout)]
    return found


def skeleton_corners(ends: Sequence[tuple[Floats, Floats]]) -> Floats:
    """(m, 3, 3) corners of the triangles of bones, each from one place to another, and of the joints between them."""
    long = [float(np.linalg.norm(end - start)) for start, end in ends]
    thick = max(_THICKNESS * max(long, default=0.0), _LEAST_M)
    parts = [
        _bone(start, end, thick)
        for (start, end), size in zip(ends, long, strict=True)
        if size > _LEAST_M
    ]
    joints = np.array([place for pair in ends for place in pair]).reshape(-1, 3)
    return np.concatenate([np.empty((0, 3, 3)), *parts, _joints(joints, 1.7 * thick)])


def _joints(places: Floats, radius: float) -> Floats:
    return balls(places, np.full(len(places), radius)).reshape(-1, 3, 3)


def _bone(start: Floats, end: Floats, thick: float) -> Floats:
    """A bar with six sides."""
    along = end - start
    side = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    side /= np.linalg.norm(side)
    up = np.cross(along, side) / np.linalg.norm(along)
    angles = np.arange(_SIDES) * (2 * np.pi / _SIDES)
    around = thick * (np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * up)
    next_one = np.roll(around, -1, axis=0)
    near = np.stack([start + around, start + next_one, end + around], axis=1)
    far = np.stack([start + next_one, end + next_one, end + around], axis=1)
    return np.concatenate([near, far])


def _joins(link: Entity, bare: set[str], layout: Layout) -> bool:
    return layout.has(link.parent, "pose") and bool({link.name, link.parent} & bare)
