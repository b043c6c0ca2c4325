"""What touches the objects, and how fast it moves there."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.tables import PROXIMITY, TOUCHES, no_rows
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats, Ints
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.robot_health.objects.states import Mask, ObjectStates, cross

_POSE = np.arange(POSE_SIZE)


class Touches:
    """The pairs of an object and another entity that are near each other, from the main model's tables.

    Args:
        layout: the scene's.
        states: the objects.

    Attributes:
        objects: (m,) numbers of the objects, as in the states.
        others: (m,) indices in the layout of what they are near to.
        distances: (m,) [m], negative: inside.
        points: (m, 3) where [m].
        seen: (k,) whether an object was near to anything yet: the main model leaves out objects where there are many.
    """

    def __init__(self, layout: Layout, states: ObjectStates) -> None:
        self._states = states
        self._numbers = np.full(len(layout.entities) + 1, -1, np.intp)
        self._numbers[states.ids] = np.arange(len(states.ids))
        self._poses = _poses(layout)
        self._is_link = np.array([e.kind is EntityKind.LINK for e in layout.entities], np.bool_)
        links = layout.of_kind(EntityKind.LINK)
        at = [layout.range_of(e.name, "pose").start for e in links if layout.has(e.name, "pose")]
        self._links = np.add.outer(np.array(at, np.intp), np.arange(7, 10))
        self.seen: Mask = np.zeros(len(states.ids), np.bool_)
        self._take(no_rows(PROXIMITY), no_rows(TOUCHES))

    def links_near(self, scene: Snapshot) -> bool:
        """Whether a link of the robot is near to any object that is not held."""
        rows = scene.proximity
        if not len(rows):
            return False
        one, other = rows[:, :2].T.astype(np.intp)
        links = self._is_link[other]
        return bool(links.any()) and not self._states.held[self._numbers[one[links]]].all()

    def update(self, scene: Snapshot, watch: Watch | None) -> None:
        """Read the table of a scene, and what links touched since the last report."""
        self._scene = scene
        self._take(scene.proximity, no_rows(TOUCHES) if watch is None else watch.touches)

    def _take(self, rows: Floats, touches: Floats) -> None:
        one, other = rows[:, :2].T.astype(np.intp)
        both = self._numbers[other] >= 0  # a pair of objects is about both
        link, touched = touches[:, :2].T.astype(np.intp)
        own = (self._numbers[touched] >= 0) & np.isfinite(touches[:, 6])
        self.seen[self._numbers[np.concatenate((one, other[both]))]] = True
        self.objects = self._numbers[np.concatenate((one, other[both], touched[own]))]
        self.others = np.concatenate((other, one[both], link[own]))
        self.distances = np.concatenate((rows[:, 2], rows[both, 2], -touches[own, 4]))
        self.points = np.concatenate((rows[:, 3:6], rows[both, 3:6], touches[own, 6:9]))

    def speeds(self) -> Floats:
        """(m,) how fast the others move where they are near to the objects [m/s]; 0 for what never moves."""
        if not len(self.others):
            return np.empty(0)
        starts = self._poses[self.others]
        poses = self._scene.values[np.maximum(starts, 0)[:, None] + _POSE]
        there = poses[:, 7:10] + cross(poses[:, 10:13], self.points - poses[:, :3])
        return np.where(starts < 0, 0.0, np.sqrt(np.einsum("ij,ij->i", there, there)))

    def fastest_link(self) -> float:
        """Speed of the robot's fastest link [m/s]; for objects that the table leaves out."""
        if not len(self._links):
            return 0.0
        velocities = self._scene.values[self._links]
        return float(np.sqrt(np.einsum("ij,ij->i", velocities, velocities).max()))


def _poses(layout: Layout) -> Ints:
    """Where each entity's pose begins in the scene's values, -1 where it has none."""
    starts = [
        layout.range_of(e.name, "pose").start if layout.has(e.name, "pose") else -1
        for e in layout.entities
    ]
    return np.array(starts, np.int32)
