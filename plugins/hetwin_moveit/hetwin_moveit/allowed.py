"""Collisions that are no mistake: those of the robot's base with what it stands on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hetwin_moveit.believed import Believed
from hetwin_suite.engine import BoundingBoxes
from hetwin_suite.model import EntityKind, Floats, Layout

TOUCHING_M = 0.01
"""Bodies whose boxes are nearer than this touch."""


def stands_on(layout: Layout, believed: Believed, values: Floats) -> list[str]:
    """Return the bodies that the robot's root link stands on, by the boxes around both.

    Args:
        layout: of the scene.
        believed: has the root link and the objects.
        values: (layout.size,) of a state.
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
    (own,) = root.around(root.poses(values))
    boxes = others.around(others.poses(values))
    apart = np.maximum(boxes[:, :3] - own[3:], own[:3] - boxes[:, 3:]).max(axis=1)
    return [
        name for name, gap in zip(others.names, apart.tolist(), strict=True) if gap <= TOUCHING_M
    ]


def allowed(matrix: Any, link: str, others: Iterable[str], entry: Callable[[], Any]) -> Any:
    """Allow collisions of a link in a moveit_msgs/msg/AllowedCollisionMatrix, and return it; the rest stays.

    Args:
        matrix: square, with its names.
        link: of the robot.
        others: objects that it may collide with.
        entry: makes an empty moveit_msgs/msg/AllowedCollisionEntry.
    """
    rows: dict[tuple[str, str], bool] = {
        (one, other): bool(enabled)
        for one, row in zip(matrix.entry_names, matrix.entry_values, strict=True)
        for other, enabled in zip(matrix.entry_names, row.enabled, strict=True)
    }
    defaults: Mapping[str, bool] = dict(
        zip(matrix.default_entry_names, matrix.default_entry_values, strict=True)
    )
    names = [*dict.fromkeys([*matrix.entry_names, link, *others])]
    for other in others:
        rows[link, other] = rows[other, link] = True
    values = []
    for one in names:
        made = entry()
        made.enabled = [
            rows.get((one, other), _by_default(defaults, one, other)) for other in names
        ]
        values.append(made)
    matrix.entry_names, matrix.entry_values = names, values
    return matrix


def _by_default(defaults: Mapping[str, bool], one: str, other: str) -> bool:
    """What holds of a pair that the matrix has not."""
    known = [defaults[name] for name in (one, other) if name in defaults]
    return bool(known) and all(known)
