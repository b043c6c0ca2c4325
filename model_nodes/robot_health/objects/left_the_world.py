"""Objects that left the world."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.shapes import ShapeKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.fidelity.bounding_boxes import BoundingBoxes
from model_nodes.robot_health.objects.states import ObjectStates

BELOW = 0.5
"""An object so far below everything has left the world [m]."""
BESIDE = 3.0
"""So far beside or above everything, at least [m]."""
AT_SPEED = 5.0
"""What leaves sideways so fast has been shot [m/s]."""


class LeftTheWorld:
    """Raises ``left_the_world`` {object, speed, distance}, once for each object.

    The world is the box around everything that is there at the start; grounds count by their height only.

    Args:
        scene: at the start.
        states: the objects.
    """

    def __init__(self, scene: Snapshot, states: ObjectStates) -> None:
        self._states = states
        self._lower, self._upper = _world(scene)
        self._has_ground = bool(_grounds(scene.layout))
        self._gone = np.zeros(len(states.ids), np.bool_)

    def update(self) -> tuple[list[int], list[Event]]:
        """Judge the newest state; returns the numbers of the objects that have left now, and events about them."""
        places = self._states.centres
        out = ((places < self._lower) | (places > self._upper)).any(axis=1) & ~self._gone
        if not out.any():
            return [], []
        self._gone |= out
        left = np.flatnonzero(out).tolist()
        return left, [self._event(number) for number in left]

    def _event(self, number: int) -> Event:
        states = self._states
        place = states.centres[number]
        beyond = np.maximum(self._lower - place, place - self._upper)
        through = self._has_ground and bool(beyond[2] > 0.0 and place[2] < self._lower[2])
        sideways = float(np.hypot(*states.velocities[number, :2]))
        absurd = through or sideways > AT_SPEED
        return Event(
            "left_the_world",
            states.time_ns,
            arguments={
                "object": states.entities[number].name,
                "speed": float(states.speeds[number]),
                "x": float(place[0]),
                "y": float(place[1]),
                "z": float(place[2]),
                "severity": "absurd" if absurd else "warning",
            },
        )


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
    lower, upper = around[:3], around[3:]
    beside = max(BESIDE, float(np.linalg.norm(upper - lower))) if len(boxes) else BESIDE
    heights = [scene.pose(name)[2] for name in grounds]
    bottom = min([lower[2], *heights]) - BELOW
    return np.array([*(lower[:2] - beside), bottom]), upper + beside
