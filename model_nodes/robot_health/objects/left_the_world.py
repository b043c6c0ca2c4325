"""Objects that left the world."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.shapes import ShapeKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.settings import Scale

BESIDE = 3.0
"""The space that the world takes up reaches so far beyond what is in it, and at least once its own size [m]."""
AT_SPEED = 5.0
"""What leaves sideways so fast has been shot [m/s]."""


class LeftTheWorld:
    """Raises ``left_the_world`` {object, speed [m/s], x, y, z [m]}, once for each object.

    The space that the world takes up is the box around everything that is there at the start, and `BESIDE` around
    that, but for below; grounds count by their height only. What went through a ground, or left at speed, is absurd.

    Args:
        scale: of the distance beyond that space.
        scene: at the start.
        states: the objects.
    """

    def __init__(self, scale: Scale, scene: Snapshot, states: ObjectStates) -> None:
        self._scale, self._states = scale, states
        self._lower, self._upper = _world(scene)
        self._has_ground = bool(_grounds(scene.layout))
        self._gone = np.zeros(len(states.ids), np.bool_)

    def update(self) -> tuple[list[int], list[Event]]:
        """Judge the newest state; returns the numbers of the objects that have left now, and events about them."""
        places = self._states.centres
        beyond = np.maximum(self._lower - places, places - self._upper).max(axis=1)
        out = (beyond >= self._scale.least) & ~self._gone
        if not out.any():
            return [], []
        self._gone |= out
        left = np.flatnonzero(out).tolist()
        return left, [e for number in left for e in self._events(number, float(beyond[number]))]

    def _events(self, number: int, beyond: float) -> list[Event]:
        states = self._states
        severity = self._scale.severity(beyond)
        if severity is None:
            return []
        x, y, z = states.centres[number].tolist()
        through = self._has_ground and z < self._lower[2]
        if through or float(np.hypot(*states.velocities[number, :2])) > AT_SPEED:
            severity = Severity.ABSURD
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "speed": float(states.speeds[number]),
            "severity": severity.value,
            "x": x,
            "y": y,
            "z": z,
        }
        return [Event("left_the_world", states.time_ns, arguments=arguments)]


def _grounds(layout: Layout) -> list[str]:
    """Entities with a plane that collides."""
    return [
        entity.name
        for entity in layout.entities
        if layout.has(entity.name, "pose")
        and any(shape.kind is ShapeKind.PLANE and shape.collides for shape in entity.shapes)
    ]


def _world(scene: Snapshot) -> tuple[Floats, Floats]:
    """(3,) lower and upper corner of where objects may be [m]."""
    layout = scene.layout
    grounds = _grounds(layout)
    kinds = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
    names = [e.name for e in layout.of_kind(*kinds) if layout.has(e.name, "pose")]
    boxes = BoundingBoxes(layout, [name for name in names if name not in grounds])
    around = boxes.around_all(scene.values)
    places = [scene.pose(name)[:3] for name in names if name not in grounds]  # also without a shape
    lower = np.min([around[:3], *places], axis=0)
    upper = np.max([around[3:], *places], axis=0)
    beside = max(BESIDE, float(np.linalg.norm(upper - lower))) if len(boxes) else BESIDE
    heights = [scene.pose(name)[2] for name in grounds]
    bottom = min([lower[2], *heights])
    return np.array([*(lower[:2] - beside), bottom]), upper + beside
