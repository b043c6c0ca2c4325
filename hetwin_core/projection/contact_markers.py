"""Contacts and owners of objects as the markers of a log."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS
from hetwin_core.ensemble.scene.values import WORLD, Floats
from hetwin_core.ensemble.topics import CONTACTS, MARKERS
from hetwin_core.projection.cdr_template import CdrTemplate, marked_stamp
from hetwin_core.projection.markers import empty_marker
from hetwin_core.projection.messages import message, stamp

CONTACT_RGBA = (0.95, 0.25, 0.2, 1.0)
CONTACT_WIDTH = 0.004
"""Width of the line of a contact [m]."""
LABEL_HEIGHT = 0.04
"""Height of the letters of a label, and its distance from the object [m]."""
LINE_LIST, TEXT = 5, 9
"""Numbers of ``visualization_msgs/Marker``."""

_METRES_PER_NEWTON = 0.01
_LONGEST = 0.3
_LEAST_N = 1e-3
_POINT, _FORCE = slice(3, 6), slice(9, 12)
"""Columns of `Snapshot.proximity`."""
_MARK = 1.25e300
_KEPT_TEMPLATES = 64
_DELETE = 2


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


class ContactMarkers:
    """``visualization_msgs/MarkerArray`` with all contacts as one list of lines, as it is written again and again."""

    def __init__(self) -> None:
        self._templates: dict[int, tuple[CdrTemplate, Any]] = {}
        self._there = False

    def fill(self, time_ns: int, near: Floats) -> memoryview | None:
        """Return the serialized message, valid until the next call; None if there are no contacts and were none."""
        lines = contact_lines(near)
        if not len(lines) and not self._there:
            return None
        self._there = bool(len(lines))
        template, places = self._template(len(lines))
        template.set_stamps(time_ns)
        template.float64[places] = lines.ravel()
        return template.data

    def _template(self, points: int) -> tuple[CdrTemplate, Any]:
        found = self._templates.get(points)
        if found is None:
            if len(self._templates) >= _KEPT_TEMPLATES:
                self._templates.clear()
            found = self._templates[points] = _contact_template(points)
        return found


def _contact_template(points: int) -> tuple[CdrTemplate, Any]:
    """The message with so many points, and where in it their numbers are."""
    marks = _MARK * (1.0 + np.arange(3 * points) * 2.0**-20)
    made = [message("geometry_msgs/msg/Point", x=x, y=y, z=z) for x, y, z in marks.reshape(-1, 3)]
    r, g, b, a = CONTACT_RGBA
    marker = empty_marker(
        WORLD,
        marked_stamp(),
        ns="contacts",
        id=0,
        type=LINE_LIST,
        action=0 if points else _DELETE,
        scale=message("geometry_msgs/msg/Vector3", x=CONTACT_WIDTH, y=0.0, z=0.0),
        color=message("std_msgs/msg/ColorRGBA", r=r, g=g, b=b, a=a),
        points=made,
    )
    template = CdrTemplate(message(CONTACTS.type, markers=[marker]), CONTACTS.type)
    places = {float(x): i for i, x in enumerate(template.float64)}
    return template, np.array([places[x] for x in marks.tolist()], np.intp)


def owner_marker(time_ns: int, entity: str, owner: str | None) -> Any:
    """``visualization_msgs/MarkerArray`` with a label above an object: its name and who is responsible for its pose.

    Args:
        time_ns: simulated time.
        entity: the object.
        owner: the model; None takes the label away.
    """
    place = message("geometry_msgs/msg/Point", x=0.0, y=0.0, z=2 * LABEL_HEIGHT)
    turn = message("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    marker = empty_marker(
        entity,
        stamp(time_ns),
        ns=f"{entity} owner",
        id=0,
        type=TEXT,
        action=_DELETE if owner is None else 0,
        pose=message("geometry_msgs/msg/Pose", position=place, orientation=turn),
        scale=message("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=LABEL_HEIGHT),
        color=message("std_msgs/msg/ColorRGBA", r=1.0, g=1.0, b=1.0, a=1.0),
        points=[],
        text="" if owner is None else f"{entity}: {owner}",
    )
    return message(MARKERS.type, markers=[marker])
