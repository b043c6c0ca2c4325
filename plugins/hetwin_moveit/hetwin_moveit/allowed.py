"""Allowed collisions: contacts of the robot's base with the bodies that it stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hetwin_moveit.believed import SceneReader
from hetwin_suite.engine import BoundingBoxes
from hetwin_suite.model import EntityKind, Floats, Layout

CONTACT_GAP_M = 0.01
"""Maximum gap in m between the bounding boxes of two bodies that count as touching."""


def bodies_touching_base(layout: Layout, believed: SceneReader, values: Floats) -> list[str]:
    """Return the names of the bodies whose bounding boxes touch that of the robot's root link.

    Args:
        layout: layout of the scene.
        believed: names the root link and the objects.
        values: (layout.size,) state of the scene.
    """
    bodies = [
        name
        for name, body in believed.objects.items()
        if body.kind in (EntityKind.STATIC, EntityKind.LINK)
    ]
    root = BoundingBoxes(layout, [believed.root] if believed.root else [])
    others = BoundingBoxes(layout, bodies)
    if not len(root) or not len(others):
        return []
    (base_box,) = root.around(root.poses(values))
    boxes = others.around(others.poses(values))
    gaps = np.maximum(boxes[:, :3] - base_box[3:], base_box[:3] - boxes[:, 3:]).max(axis=1)
    return [
        name for name, gap in zip(others.names, gaps.tolist(), strict=True) if gap <= CONTACT_GAP_M
    ]


def allow_collisions(
    matrix: Any, link: str, others: Iterable[str], entry: Callable[[], Any]
) -> Any:
    """Allow collisions of a link with some objects in an allowed collision matrix, in place, and return the matrix.

    Args:
        matrix: moveit_msgs/msg/AllowedCollisionMatrix; its other entries stay as they are.
        link: link of the robot.
        others: objects that the link may collide with.
        entry: makes an empty moveit_msgs/msg/AllowedCollisionEntry.
    """
    rows: dict[tuple[str, str], bool] = {
        (first, second): bool(enabled)
        for first, row in zip(matrix.entry_names, matrix.entry_values, strict=True)
        for second, enabled in zip(matrix.entry_names, row.enabled, strict=True)
    }
    defaults: Mapping[str, bool] = dict(
        zip(matrix.default_entry_names, matrix.default_entry_values, strict=True)
    )
    names = [*dict.fromkeys([*matrix.entry_names, link, *others])]
    for second in others:
        rows[link, second] = rows[second, link] = True
    values = []
    for first in names:
        new_entry = entry()
        new_entry.enabled = [
            rows.get((first, second), _by_default(defaults, first, second)) for second in names
        ]
        values.append(new_entry)
    matrix.entry_names, matrix.entry_values = names, values
    return matrix


def _by_default(defaults: Mapping[str, bool], first: str, second: str) -> bool:
    """Return whether a pair without an entry may collide: both defaults, if given, have to allow it."""
    given = [defaults[name] for name in (first, second) if name in defaults]
    return bool(given) and all(given)
