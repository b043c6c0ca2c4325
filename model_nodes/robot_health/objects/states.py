"""State of all objects at one step: motion, contacts, and which motions the robot's program intended."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import EventKind, is_announced_action
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY, TOUCHES, Snapshot, no_rows
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats, Ints
from hetwin_core.ensemble.scene.watch import Watch
from model_nodes.bounding_boxes import local_box
from model_nodes.robot_health.settings import Scale
from model_nodes.robot_health.view import View, is_of_hand

REST_SPEED = 0.02
"""Maximum speed along each axis of an object that is at rest [m/s]."""
REST_TURN = 0.1
"""Maximum angular velocity about each axis of an object that is at rest [rad/s]."""
_AT_REST = np.repeat((REST_SPEED, REST_TURN), 3)
REST_NS = 250_000_000
"""Time for which an object must be slower than that to be at rest [ns]."""

Mask = NDArray[np.bool_]


class ObjectStates:
    """The objects of the scene, updated with each view; k is their number.

    Args:
        scene: at the start, when all objects count as at rest.

    Attributes:
        entities: (k) the objects.
        ids: (k,) their indices in the layout.
        time_ns: time of the newest view [ns].
        poses: (k, 13) poses and twists in the world.
        centres: (k, 3) centres of their shapes [m].
        velocities: (k, 3) of the centres [m/s].
        speeds: (k,) of the centres [m/s].
        was_held: (k,) `held` in the previous view.
        held: (k,) whether a hand holds the object, or a model other than the main one is responsible for its pose.
        resting: (k,) whether the object is at rest and not held.
        rested_ns: (k,) last time at which the object was at rest or held [ns].
        up: (k, 3) unit vector of the vertical, in the object's frame.
        settled: whether all objects are at rest or held, now and in the previous view; if so, only `poses`, `held` and
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
        """Read a view; returns whether objects have just started to move after all had been settled.

        If so, the state is still that of the view before the motion; call `begin_motion` to continue.
        """
        poses = view.snapshot.values[self._index]
        was_still = self._still
        self.was_held = self.held
        if view.held is not self._holders:
            self._hold(view.held)
        moves = np.logical_or.reduce(np.abs(poses[:, 7:]) > _AT_REST, axis=1)
        moves |= self.held
        self._moved_ns[moves] = view.time_ns
        self.resting = view.time_ns - self._moved_ns >= REST_NS
        self._still = np.count_nonzero(self.resting | self.held) == len(self.held)
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
        """Continue with the view in which objects started to move."""
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
        """Return (k, 3) the centres' offsets from the origins, in the world's axes [m]."""
        axis, w = quaternions[:, 1:], quaternions[:, :1]
        twice = 2.0 * cross(axis, self._offsets)
        turned: Floats = self._offsets + w * twice + cross(axis, twice)
        return turned


def _objects(layout: Layout) -> list[Entity]:
    return [e for e in layout.of_kind(EntityKind.OBJECT) if layout.has(e.name, "pose")]


def cross(a: Floats, b: Floats) -> Floats:
    """Return (n, 3) cross products of rows; several times as fast as `numpy.cross` on few rows."""
    (ax, ay, az), (bx, by, bz) = a.T, b.T
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=1)


def _centre(entity: Entity) -> Floats:
    box = local_box(entity)
    centre: Floats = np.zeros(3) if box is None else 0.5 * (box[0] + box[1])
    return centre


_POSE = np.arange(POSE_SIZE)


class Touches:
    """Pairs of an object and another entity that are near each other, from the main model's tables; m is their number.

    Args:
        layout: of the scene.
        states: the objects.

    Attributes:
        objects: (m,) indices of the objects in `states`.
        others: (m,) indices of the near entities in the layout.
        distances: (m,) [m], negative if one is inside the other.
        points: (m, 3) nearest points, in the world [m].
        seen: (k,) whether the object has ever been in a pair; with many objects the main model leaves some out.
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
        """Return whether a link of the robot is near an object that is not held."""
        rows = scene.proximity
        if not len(rows):
            return False
        one, other = rows[:, :2].T.astype(np.intp)
        links = self._is_link[other]
        held = self._states.held[self._numbers[one[links]]]
        return bool(np.count_nonzero(held) < len(held))

    def update(self, scene: Snapshot, watch: Watch | None) -> None:
        """Read the scene's table of near entities, and the touches of links since the last report."""
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
        """Return (m,) speeds of the other entities at the points near the objects [m/s]; 0 for static entities."""
        if not len(self.others):
            return np.empty(0)
        starts = self._poses[self.others]
        poses = self._scene.values[np.maximum(starts, 0)[:, None] + _POSE]
        there = poses[:, 7:10] + cross(poses[:, 10:13], self.points - poses[:, :3])
        return np.where(starts < 0, 0.0, np.sqrt(np.einsum("ij,ij->i", there, there)))

    def fastest_link(self) -> float:
        """Return the speed of the robot's fastest link [m/s], a bound for objects that the table leaves out."""
        if not len(self._links):
            return 0.0
        velocities = self._scene.values[self._links]
        return float(np.sqrt(np.einsum("ij,ij->i", velocities, velocities).max()))


def _poses(layout: Layout) -> Ints:
    """Return the offset of each entity's pose in the scene's values, -1 without a pose."""
    starts = [
        layout.range_of(e.name, "pose").start if layout.has(e.name, "pose") else -1
        for e in layout.entities
    ]
    return np.array(starts, np.int32)


TOUCHING = 0.002
"""Maximum distance at which a body may move an object [m]."""
ACTING_NS = 1_000_000_000
"""Time after its end for which an action still counts [ns]."""
MEANT_NS = 2_000_000_000
"""Maximum time between an intended action and the start of the motion that it explains [ns]."""
_NEVER = np.iinfo(np.int64).min // 2


class Purpose:
    """Remembers when something was last done to each object on purpose.

    An object is moved on purpose if a hand holds it, or a link of a hand touches it; if another link touches it during
    an annotated action; or if it is touched by something that itself moves on purpose. Objects for which the main model
    reports no distances count as touched during an action. An object that a hand has lost moves unintentionally until
    it has come to rest or is held again.

    Args:
        layout: of the scene.
        states: the objects.
        touches: pairs of near entities.

    Attributes:
        lost: (k,) whether a hand has lost the object.
    """

    def __init__(self, layout: Layout, states: ObjectStates, touches: Touches) -> None:
        self._states, self._touches = states, touches
        kinds = np.array([entity.kind is EntityKind.LINK for entity in layout.entities], np.bool_)
        self._links = kinds
        self._hands = is_of_hand(layout)
        self._meant_ns = np.full(len(layout.entities), _NEVER, np.int64)
        self._resting = np.zeros(len(layout.entities), np.bool_)
        self._acted_ns = _NEVER
        self._number = {entity.name: i for i, entity in enumerate(states.entities)}
        self.lost = np.zeros(len(states.ids), np.bool_)

    def update(self, view: View) -> None:
        """Read a view; call it after `ObjectStates.update` and `Touches.update`."""
        self._lose(view)
        now, states, touches, meant = view.time_ns, self._states, self._touches, self._meant_ns
        acting = self._acts(view)
        meant[self._links] = now if acting else _NEVER
        meant[self._hands] = now
        meant[states.ids[states.held]] = now
        if acting:
            meant[states.ids[~touches.seen]] = now
        if not len(touches.others):
            return
        near = touches.distances <= TOUCHING
        objects, others = states.ids[touches.objects[near]], touches.others[near]
        passed = meant[others]
        passed[self._resting[others]] = _NEVER  # resting bodies move nothing
        np.maximum.at(meant, objects, passed)

    def settle(self) -> None:
        """Count an object that was held in the last view as moved on purpose until that view."""
        states = self._states
        self._meant_ns[states.ids[states.was_held]] = states.time_ns
        self.lost.fill(False)

    def judge(self, number: int, scale: Scale, measure: float) -> Severity | None:
        """Return the severity of a measure about an object; intended motion reduces a warning to a note."""
        severity = scale.severity(measure)
        if severity is Severity.WARNING and self.meant(number):
            return Severity.NOTE
        return severity

    def meant(self, number: int) -> bool:
        """Return whether an object's motion was caused by an intended one."""
        if self.lost[number]:
            return False
        since_ns = int(self._states.rested_ns[number]) - MEANT_NS
        return int(self._meant_ns[self._states.ids[number]]) >= since_ns

    def meant_since(self, number: int, time_ns: int) -> bool:
        """Return whether something was done to an object on purpose since a time [ns]."""
        return int(self._meant_ns[self._states.ids[number]]) >= time_ns

    def _lose(self, view: View) -> None:
        """Add objects that hands have lost; remove those that were at rest in the previous view, or are held."""
        states = self._states
        self.lost &= ~(states.held | self._resting[states.ids])
        self._resting[states.ids] = states.resting
        for event in view.events:
            number = self._number.get(str(event.arguments.get("object")))
            if event.kind is EventKind.MODEL and event.name == "lost" and number is not None:
                self.lost[number] = True

    def _acts(self, view: View) -> bool:
        if any(map(is_announced_action, (*view.actions.values(), *view.events))):
            self._acted_ns = view.time_ns
        return view.time_ns - self._acted_ns <= ACTING_NS
