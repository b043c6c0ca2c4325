"""Contacts of objects as arrows: where a force acts on an object, and into which direction."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import WORLD, Floats
from hetwin_core.projection.contact_markers import CONTACT_RGBA, contact_lines
from hetwin_suite.view.foxglove.shapes import arrow

CONTACTS = "contacts"
"""Id of the entity that has all arrows."""


def contact_entity(messages: Any, near: Floats, stamp: Any) -> Any:
    """Return all contacts as one ``SceneEntity`` in the world; without any contact it has no arrows.

    Args:
        messages: the module of the SDK's messages.
        near: rows of `Snapshot.proximity`.
        stamp: time of the message.
    """
    arrows = [
        arrow(
            messages,
            start.tolist(),
            (end - start).tolist(),
            float(np.linalg.norm(end - start)),
            CONTACT_RGBA,
        )
        for start, end in contact_lines(near).reshape(-1, 2, 3)
    ]
    return messages.SceneEntity(id=CONTACTS, frame_id=WORLD, timestamp=stamp, arrows=arrows)
