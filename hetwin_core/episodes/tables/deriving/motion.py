"""Detects moving entities, and objects that rest or leave their positions; and contacts of static bodies."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.poses import angles_between, rotation_matrix
from hetwin_core.ensemble.scene.values import POSE, Floats, Shape, ShapeKind
from hetwin_core.episodes.tables.deriving.book import (
    Batch,
    Book,
    Mask,
    OccasionWriter,
    SceneIndex,
    Spans,
)
from hetwin_core.episodes.tables.lists import Stretch
from hetwin_core.episodes.tables.poses import Times

MIN_SPEED, MIN_TURN = 0.01, 0.05
"""Average speed from which an entity moves [m/s, rad/s]; it stops below half of it."""
WINDOW_NS = 100_000_000
"""Time over which the speed is averaged [ns], because a recording's noise is not motion."""
WINDOW_STATES = 10
"""Maximum number of states over which it is averaged."""
ABSENT = 3
_STATIC = (EntityKind.STATIC, EntityKind.CONCEPT)


class Motion:
    """Adds ``moving``, and finds the moving entities in each state.

    Args:
        index: index of the scene.
        book: receives the occasions.
    """

    def __init__(self, index: SceneIndex, book: Book) -> None:
        moving = [
            i
            for i, entity in enumerate(index.layout.entities)
            if entity.kind not in _STATIC and index.starts[i] >= 0
        ]
        self.ids = np.array(moving, np.int64)
        self._columns = index.starts[self.ids][:, None] + np.arange(7)
        self._spans = Spans(absent=ABSENT)
        self._names = index.names
        self._stretches = OccasionWriter("moving", self._names_of, book)
        self._times: Times = np.empty(0, np.int64)
        self._poses: Floats = np.empty((0, len(moving), 7))

    def _names_of(self, key: int) -> tuple[str, str]:
        return self._names[key], ""

    @property
    def known(self) -> bool:
        """Whether any entity can move."""
        return len(self.ids) > 0

    def update(self, batch: Batch) -> Mask:
        """Add the next states; return (n, k) whether each of `ids` is at rest in each of them."""
        ratio = self._speed_ratio(batch)
        state, entity = np.nonzero(ratio >= 0.5)
        changes = self._spans.update(
            self.ids[entity], state + batch.first, ratio[state, entity] >= 1.0, batch.newest
        )
        self._stretches.enter(changes, batch.timeline)
        return ratio < 0.5

    def _speed_ratio(self, batch: Batch) -> Floats:
        """(n, k) average linear or angular speed as a fraction of its threshold."""
        new = batch.states.values[:, self._columns]
        times = np.concatenate((self._times, batch.states.times))
        poses = np.concatenate((self._poses, new))
        now = np.arange(len(self._times), len(times))
        oldest = np.searchsorted(times, times[now] - WINDOW_NS)
        before = np.maximum(oldest, np.maximum(now - WINDOW_STATES, 0))
        seconds = np.maximum(times[now] - times[before], WINDOW_NS) / 1e9
        step = poses[now, :, :3] - poses[before, :, :3]
        angle = angles_between(poses[now, :, 3:], poses[before, :, 3:])
        distance = np.sqrt(np.einsum("nki,nki->nk", step, step))
        self._times, self._poses = times[-WINDOW_STATES:], poses[-WINDOW_STATES:]
        found: Floats = np.maximum(distance / MIN_SPEED, angle / MIN_TURN) / seconds[:, None]
        return found


DISTANCE, ANGLE = 0.005, math.radians(5.0)
"""Maximum displacement of an object at rest [m, rad]; beyond it, the object has left its position."""
_COSINE = math.cos(ANGLE / 2)
_STILL_STATES = 10
"""Minimum number of states at rest for a new position."""


class Places:
    """Adds ``loc`` for objects and robots' bases, and events ``loc_change`` when they leave a position.

    A held object has no position, even if the hand pauses.

    Args:
        index: index of the scene.
        ids: the entities whose rest is passed to `update`.
        book: receives the occasions and events.
    """

    def __init__(self, index: SceneIndex, ids: Times, book: Book) -> None:
        entities = index.layout.entities
        names = {index.layout.entity_id(link): robot for robot, link in index.roots.items()}
        self._trackers = [
            _RestTracker(names.get(i, entities[i].name), column, index.starts[i], book)
            for column, i in enumerate(ids.tolist())
            if entities[i].kind in (EntityKind.OBJECT, EntityKind.ROBOT) or i in names
        ]

    def update(self, batch: Batch, still: Mask, held: dict[str, Mask]) -> None:
        """Add the next states.

        Args:
            batch: the states.
            still: (n, k) whether each of `ids` is at rest.
            held: object -> (n,) whether a hand holds it; objects that no hand holds are left out.
        """
        for tracker in self._trackers:
            is_still = still[:, tracker.column]
            if tracker.name in held:
                is_still = is_still & ~held[tracker.name]
            tracker.update(batch, is_still)


class _RestTracker:
    def __init__(self, name: str, column: int, start: int, book: Book) -> None:
        self.name = name
        self.column = column
        self._columns = slice(int(start), int(start) + 7)
        self._book = book
        self._rest_pose: Floats | None = None
        self._stretch: Stretch | None = None
        self._rest_count = 0
        self._has_started = False

    def update(self, batch: Batch, still: Mask) -> None:
        times, poses = batch.states.times, batch.states.values[:, self._columns]
        if not self._has_started:
            self._has_started = True
            self._settle(int(times[0]), poses[0])
        at, end = 0, len(times)
        while at < end:
            if self._rest_pose is None:
                at = self._find_rest(times, poses, still, at)
            else:
                at = self._find_departure(times, poses, self._rest_pose, at)

    def _find_departure(self, times: Times, poses: Floats, place: Floats, at: int) -> int:
        """Find the first state away from the position; return the index from which to continue."""
        step = poses[at:, :3] - place[:3]
        has_left = np.einsum("ij,ij->i", step, step) > DISTANCE**2
        has_left |= np.abs(poses[at:, 3:] @ place[3:]) < _COSINE
        if not has_left.any():
            return len(times)
        at += int(has_left.argmax())
        if self._stretch is not None:
            self._stretch.to_ns = int(times[at])
        self._book.add_event(int(times[at]), "loc_change", {"object": self.name})
        self._rest_pose, self._rest_count = None, 0
        return at

    def _find_rest(self, times: Times, poses: Floats, still: Mask, at: int) -> int:
        """Find the end of a sufficiently long rest; return the index from which to continue."""
        for i in range(at, len(times)):
            self._rest_count = self._rest_count + 1 if still[i] else 0
            if self._rest_count >= _STILL_STATES:
                self._settle(int(times[i]), poses[i])
                return i + 1
        return len(times)

    def _settle(self, time_ns: int, pose: Floats) -> None:
        self._rest_pose = pose.copy()
        self._stretch = self._book.begin_occasion("loc", self.name, "", time_ns)
        self._book.places[self.name].append((self._stretch, self._rest_pose))


NEAR_M = 1e-3
"""Maximum distance of bodies that touch [m]."""
_ALIGNED = 1.0 - 1e-9
_IDENTITY = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
Pair = tuple[str, str]


class StaticContacts(NamedTuple):
    """Pairs of static bodies.

    Attributes:
        on: the first one stands on the second.
        contact: they touch.
        unknown_contacts: the bounds of their shapes do not decide whether they touch.
    """

    on: tuple[Pair, ...] = ()
    contact: tuple[Pair, ...] = ()
    unknown_contacts: frozenset[Pair] = frozenset()


def static_contacts(layout: Layout, values: Floats) -> StaticContacts:
    """Return the supports and contacts of a scene's static bodies.

    Args:
        layout: layout of the scene.
        values: values of a state.
    """
    bodies = layout.of_kind(EntityKind.STATIC)
    shapes = [(e.name, s) for e in bodies for s in e.shapes if s.collides]
    if not shapes:
        return StaticContacts()
    body_poses = {e.name: _pose(layout, values, e.name) for e in bodies}
    bounds = [_bounds(shape, body_poses[name]) for name, shape in shapes]
    low, high = (np.array([b[i] for b in bounds]) for i in (0, 1))
    exact = np.array([b[2] for b in bounds], np.bool_)
    overlaps = np.all(low[:, None] <= high[None] + NEAR_M, axis=2)
    near = overlaps & overlaps.T
    over = (low[:, None, :2] < high[None, :, :2]).all(axis=2)
    is_level = np.abs(low[:, None, 2] - high[None, :, 2]) <= NEAR_M
    is_certain = exact[:, None] & exact[None]
    names = [name for name, _ in shapes]
    return StaticContacts(
        _pairs(names, near & over & over.T & is_level & is_certain),
        _pairs(names, np.triu(near & is_certain)),
        frozenset(_pairs(names, near & ~is_certain)) | _pairs_without_shapes(layout),
    )


def _pairs_without_shapes(layout: Layout) -> frozenset[Pair]:
    names = [e.name for e in layout.of_kind(EntityKind.STATIC)]
    without_shapes = {e.name for e in layout.entities if not any(s.collides for s in e.shapes)}
    return frozenset((a, b) for a in names for b in names if a != b and {a, b} & without_shapes)


def _pairs(names: list[str], which: NDArray[np.bool_]) -> tuple[Pair, ...]:
    found = ((names[i], names[j]) for i, j in np.argwhere(which).tolist())
    return tuple(dict.fromkeys((a, b) for a, b in found if a != b))


def _pose(layout: Layout, values: Floats, name: str) -> Floats:
    return (
        values[layout.range_of(name, POSE.name)][:7] if layout.has(name, POSE.name) else _IDENTITY
    )


def _bounds(shape: Shape, body: Floats) -> tuple[Floats, Floats, bool]:
    """Lower and upper corner of a shape in the world, and whether its top and bottom fill the bounds."""
    frame = rotation_matrix(body[3:])
    centre, turn = body[:3] + frame @ shape.pose[:3], frame @ rotation_matrix(shape.pose[3:])
    half = _half(shape)
    if half is None:
        corners = np.empty((0, 3)) if shape.vertices is None else shape.vertices
        points = centre + corners @ turn.T
        return points.min(axis=0, initial=np.inf), points.max(axis=0, initial=-np.inf), False
    turned = np.abs(turn)
    extent = turned @ half
    square = bool(turned.max(axis=1).min() > _ALIGNED)
    upright = shape.kind is ShapeKind.CYLINDER and bool(turned[2, 2] > _ALIGNED)
    exact = upright or (square and shape.kind in (ShapeKind.BOX, ShapeKind.PLANE))
    return centre - extent, centre + extent, exact


def _half(shape: Shape) -> Floats | None:
    """Half lengths of a shape along its axes; None for a mesh."""
    match shape.kind, shape.size:
        case ShapeKind.BOX, size:
            return np.array(size) / 2.0
        case ShapeKind.PLANE, (x, y, *_):
            return np.array([x / 2.0, y / 2.0, 0.0])
        case ShapeKind.SPHERE, (radius, *_):
            return np.full(3, radius)
        case ShapeKind.CYLINDER, (radius, length):
            return np.array([radius, radius, length / 2.0])
        case ShapeKind.CAPSULE, (radius, length):
            return np.array([radius, radius, length / 2.0 + radius])
        case ShapeKind.ELLIPSOID, size:
            return np.array(size)
    return None
