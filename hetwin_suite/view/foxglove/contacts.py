"""Contacts of objects as arrows: where a force acts on an object, into which direction, and how much."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import WORLD, Floats
from hetwin_suite.view.foxglove.shapes import arrow

CONTACTS = "contacts"
"""Id of the entity that has all arrows."""
_COLOUR = (0.95, 0.25, 0.2, 1.0)
_LEAST_N = 1e-3
_METRES_PER_NEWTON = 0.01
_LENGTHS = (0.02, 0.3)
"""Shortest and longest arrow [m]."""
_POINT, _FORCE = slice(3, 6), slice(9, 12)
"""Columns of `Snapshot.proximity`."""


def contact_entity(messages: Any, near: Floats, stamp: Any) -> Any:
    """Return all contacts as one ``SceneEntity`` in the world; without any contact it has no arrows.

    Args:
        messages: the module of the SDK's messages.
        near: rows of `Snapshot.proximity`.
        stamp: time of the message.
    """
    forces = near[:, _FORCE]
    sizes = np.linalg.norm(forces, axis=1)
    arrows = [
        arrow(
            messages,
            point.tolist(),
            force.tolist(),
            float(np.clip(size * _METRES_PER_NEWTON, *_LENGTHS)),
            _COLOUR,
        )
        for point, force, size in zip(near[:, _POINT], forces, sizes, strict=True)
        if size > _LEAST_N
    ]
    return messages.SceneEntity(id=CONTACTS, frame_id=WORLD, timestamp=stamp, arrows=arrows)
