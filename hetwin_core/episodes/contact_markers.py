"""Contacts of objects as markers."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from hetwin_core.ensemble.scene.tables import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import WORLD, Floats
from hetwin_core.ensemble.topics import CONTACTS
from hetwin_core.episodes.cdr_template import Blanks, CdrTemplate
from hetwin_core.episodes.markers import ADD, DELETE, marker
from hetwin_core.episodes.messages import (
    colour_message,
    message,
    point_message,
    vector_message,
)

CONTACT_RGBA = (0.95, 0.25, 0.2, 1.0)
_WIDTH = 0.004
"""Width of the line of a contact [m]."""
_LINE_LIST = 5
"""Number of ``visualization_msgs/Marker``."""

_METRES_PER_NEWTON = 0.01
_LONGEST = 0.3
_LEAST_N = 1e-3
_POINT, _FORCE = slice(3, 6), slice(9, 12)
"""Columns of `Snapshot.proximity`."""
_KEPT_TEMPLATES = 64


def contact_lines(near: Floats) -> Floats:
    """Return (2 n, 3) where forces act on objects and, for each, the end of a line into its direction [m].

    Args:
        near: rows of `Snapshot.proximity`.
    """
    forces = near.reshape(-1, PROXIMITY_COLUMNS)[:, _FORCE]
    sizes = np.sqrt((forces * forces).sum(axis=1))
    felt = sizes > _LEAST_N
    starts, forces, sizes = near[felt, _POINT], forces[felt], sizes[felt, np.newaxis]
    lines = forces * np.minimum(_METRES_PER_NEWTON, _LONGEST / sizes)
    return np.stack([starts, starts + lines], axis=1).reshape(-1, 3)


class ContactMessages:
    """``visualization_msgs/MarkerArray`` with all contacts as one list of lines."""

    def __init__(self) -> None:
        self._templates = lru_cache(_KEPT_TEMPLATES)(_contact_template)
        self._there = False

    def fill(self, time_ns: int, near: Floats, *, always: bool = False) -> memoryview | None:
        """Put the numbers in.

        Args:
            time_ns: simulated time.
            near: rows of `Snapshot.proximity`.
            always: whether there is a message even if there are no contacts and were none.

        Returns:
            The serialized message, valid until the next call; None if there is none.
        """
        lines = contact_lines(near)
        if not (len(lines) or self._there or always):
            return None
        self._there = bool(len(lines))
        return self._templates(len(lines)).fill(time_ns, lines.ravel())


def _contact_template(points: int) -> CdrTemplate:
    """The message with so many points; without any the list is deleted, as RViz accepts none without points."""

    def make(blanks: Blanks) -> object:
        lines = marker(
            WORLD,
            blanks.stamp,
            ns="contacts",
            id=0,
            type=_LINE_LIST,
            action=ADD if points else DELETE,
            frame_locked=True,
            scale=vector_message((_WIDTH, 0.0, 0.0)),
            color=colour_message(CONTACT_RGBA),
            points=[point_message(row) for row in blanks.numbers(3 * points).reshape(-1, 3)],
        )
        return message(CONTACTS.type, markers=[lines])

    return CdrTemplate(CONTACTS.type, make)
