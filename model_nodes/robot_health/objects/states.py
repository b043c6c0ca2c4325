"""What is known of all objects at one step, as arrays."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats
from model_nodes.fidelity.bounding_boxes import local_box
from model_nodes.robot_health.view import View

REST_SPEED = 0.02
"""An object slower than this along each axis is at rest once that has lasted `REST_NS` [m/s]."""
REST_TURN = 0.1
"""Likewise, how fast it turns about each [rad/s]."""
_AT_REST = np.repeat((REST_SPEED, REST_TURN), 3)
REST_NS = 250_000_000
"""How long an object must be still to be at rest [ns]."""

Mask = NDArray[np.bool_]


class ObjectStates:
    """The objects of the scene, updated with each view; k is their number.

    Args:
        scene: at the start, when all objects count as at rest.

    Attributes:
        entities: (k) the objects.
        ids: (k,) their indices in the layout.
        time_ns: of the newest view.
        poses: (k, 13) poses and twists in the world.
        centres: (k, 3) centres of their shapes [m].
        velocities: (k, 3) of the centres [m/s].
        speeds: (k,) of the centres [m/s].
        was_held: (k,) whether it was held in the view before.
        held: (k,) whether a hand holds it, or another model than the main one is responsible for its pose.
        resting: (k,) whether it is at rest, and not held.
        rested_ns: (k,) when it last was at rest or held [ns].
        up: (k, 3) the vertical in the object's frame.
        settled: whether all objects are at rest or held, now and in the view before; then only `poses`, `held` and
            `resting` are up to date.
    """

    def __init__(self, scene: Snapshot) -> None:
        layout = scene.layout
        self.entities = _objects(layout)
        self.ids = np.array([layout.entity_id(e.name) for e in self.entities], np.intp)
        starts = [layout.range_of(e.name, "pose").start for e in self.entities]
        self._index = np.add.outer(np.array(starts, np.intp), np.arange(POSE_SIZE))
        self._offsets = np.array([_centre(e) for e in self.entities]).reshape(-1, 3)
        self._number = {entity.name: i for i, entity in enumerate(self.entities)}
        count = len(self.entities)
        self._moved_ns = np.full(count, scene.time_ns - REST_NS, np.int64)
        self._holders: Mapping[str, str] | None = None
        self.time_ns = scene.time_ns
        self.held: Mask = np.zeros(count, np.bool_)
        self.was_held = self.held
        self.resting: Mask = np.ones(count, np.bool_)
        self.rested_ns = np.full(count, scene.time_ns, np.int64)
        self.settled = self._still = False
        self.poses = scene.values[self._index]
        self._derive()

    def update(self, view: View) -> bool:
        """Read a view; returns whether objects have just begun to move after all had been settled.

        In that case the state is the last one before that, and `begin` has to follow.
        """
        poses = view.snapshot.values[self._index]
        was_still = self._still
        self.was_held = self.held
        if view.held is not self._holders:
            self._hold(view.held)
        moves = (np.abs(poses[:, 7:]) > _AT_REST).any(axis=1)
        moves |= self.held
        self._moved_ns[moves] = view.time_ns
        self.resting = view.time_ns - self._moved_ns >= REST_NS
        self._still = bool((self.resting | self.held).all())
        was_settled, self.settled = self.settled, was_still and self._still
        if was_settled and not self._still:
            self.rested_ns.fill(self.time_ns)
            self._derive()
            self._next = view.time_ns, poses
            return True
        self.time_ns, self.poses = view.time_ns, poses
        if not self.settled:
            self._follow()
        return False

    def begin_motion(self) -> None:
        """Go on to the view with which objects began to move."""
        self.time_ns, self.poses = self._next
        self._follow()

    def _follow(self) -> None:
        self.rested_ns[self.resting | self.held] = self.time_ns
        self._derive()

    def _hold(self, holders: Mapping[str, str]) -> None:
        self._holders = holders
        self.held = np.zeros(len(self.entities), np.bool_)
        self.held[[self._number[name] for name in holders if name in self._number]] = True

    def _derive(self) -> None:
        poses = self.poses
        w, x, y, z = poses[:, 3:7].T
        self.up = np.stack(
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)), axis=1
        )
        offsets = self._turned(poses[:, 3:7])
        self.centres = poses[:, :3] + offsets
        self.velocities = v = poses[:, 7:10] + cross(poses[:, 10:13], offsets)
        self.speeds = np.sqrt(np.einsum("ij,ij->i", v, v))

    def _turned(self, quaternions: Floats) -> Floats:
        """(k, 3) the centres' offsets from the origins, in the world's axes."""
        axis, w = quaternions[:, 1:], quaternions[:, :1]
        twice = 2.0 * cross(axis, self._offsets)
        turned: Floats = self._offsets + w * twice + cross(axis, twice)
        return turned


def _objects(layout: Layout) -> list[Entity]:
    return [e for e in layout.of_kind(EntityKind.OBJECT) if layout.has(e.name, "pose")]


def cross(a: Floats, b: Floats) -> Floats:
    """(n, 3) cross products of rows; several times as fast as numpy's on few rows."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=1)


def _centre(entity: Entity) -> Floats:
    box = local_box(entity)
    centre: Floats = np.zeros(3) if box is None else 0.5 * (box[0] + box[1])
    return centre
