"""The surfaces of a hand's links as balls, and the signed distances to an object's surface."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, cos, pi, sin
from typing import TypeAlias

import numpy as np

from hetwin_suite.model import (
    Entity,
    Floats,
    HandDescription,
    Layout,
    Shape,
    ShapeKind,
    Snapshot,
    finger_roots,
    rotation_matrices,
    rotation_matrix,
)

SPACING = 0.006
"""Spacing of balls on a surface [m]; the surface between them is less than a millimetre off."""
PALM = -1
"""Finger number of the palm."""
_MAX_PER_EDGE = 9
_RIM = 8


@dataclass(frozen=True, slots=True)
class PlacedHand:
    """A hand's surface at one time, in the hand's grasp frame.

    Attributes:
        centres: (n, 3) of all balls.
        origins: (links, 3) of the links' frames.
        rotations: (links, 3, 3) of the links' frames.
    """

    centres: Floats
    origins: Floats
    rotations: Floats


class HandSurface:
    """Balls on the links of the fingers and on the palm.

    Args:
        layout: the scene's layout, with the links' shapes.
        hand: the hand with the links.

    Attributes:
        radii: (n,) of the balls [m].
        starts: index of the first ball of each link with a surface.
        link_of: (n,) number of each ball's link.
        fingers: number of the finger of each link with a surface, `PALM` for the palm.
        joints: names of each finger's joints, from the palm outwards.

    Raises:
        BadInput: if a finger link is not in the scene.
    """

    def __init__(self, layout: Layout, hand: HandDescription) -> None:
        self._hand = hand.name
        roots = finger_roots(layout, hand)
        fingers = dict.fromkeys(root for root in roots.values() if root != hand.link)
        order = {**{root: number for number, root in enumerate(fingers)}, hand.link: PALM}
        names = [(name, order[roots[name]]) for name in hand.finger_links]
        if layout.entity_id(hand.link) >= 0 and hand.link not in roots:
            names.append((hand.link, PALM))
        self.joints = _joints(layout, hand, names, len(fingers))
        parts = [(name, finger, balls_of(layout.entity(name))) for name, finger in names]
        parts = [part for part in parts if len(part[2])]
        self.links = tuple(name for name, _, _ in parts)
        self.fingers = tuple(finger for _, finger, _ in parts)
        counts = [len(balls) for _, _, balls in parts]
        self.starts = np.cumsum([0, *counts[:-1]])[: len(parts)]
        self.link_of = np.repeat(np.arange(len(parts)), counts)
        all_balls = np.concatenate([np.empty((0, 4)), *(balls for _, _, balls in parts)])
        self._centres, self.radii = all_balls[:, :3], all_balls[:, 3]
        starts = [layout.range_of(name, "pose").start for name in self.links]
        self._poses = np.array(starts, np.intp)[:, None] + np.arange(7)

    def place(self, scene: Snapshot) -> PlacedHand:
        """Return the surface in the hand's grasp frame, at the scene's time."""
        hand = scene.pose(self._hand)
        turn = rotation_matrix(hand[3:7])
        poses = scene.values[self._poses]
        origins = (poses[:, :3] - hand[:3]) @ turn
        rotations = turn.T @ rotation_matrices(poses[:, 3:])
        turned = np.einsum("nij,nj->ni", rotations[self.link_of], self._centres)
        return PlacedHand(turned + origins[self.link_of], origins, rotations)


def balls_of(link: Entity) -> Floats:
    """Return (n, 4) balls on a link's colliding shapes: centre x y z in the link's frame, radius [m]."""
    balls = [_placed(shape) for shape in link.shapes if shape.collides]
    return np.concatenate(balls) if balls else np.empty((0, 4))


def _placed(shape: Shape) -> Floats:
    balls = np.array(list(_balls(shape)), np.float64).reshape(-1, 4)
    rotation = rotation_matrix(shape.pose[3:])
    balls[:, :3] = balls[:, :3] @ rotation.T + np.array(shape.pose[:3])
    return balls


def _balls(shape: Shape) -> Iterable[tuple[float, ...]]:
    match shape.kind:
        case ShapeKind.SPHERE:
            return [(0.0, 0.0, 0.0, shape.size[0])]
        case ShapeKind.CAPSULE:
            return _row(shape.size[0], shape.size[1] / 2)
        case ShapeKind.CYLINDER:
            return _of_cylinder(*shape.size)
        case ShapeKind.BOX:
            return _of_box(shape.size)
        case ShapeKind.MESH if shape.vertices is not None:
            return [(*vertex, 0.0) for vertex in shape.vertices.tolist()]
    return []


def _row(radius: float, half: float) -> list[tuple[float, ...]]:
    return [(0.0, 0.0, z, radius) for z in np.linspace(-half, half, _count(2 * half)).tolist()]


def _of_cylinder(radius: float, length: float) -> list[tuple[float, ...]]:
    """Return points on the rims of both ends, and balls along the axis of a cylinder longer than its diameter."""
    angles = [2 * pi * i / _RIM for i in range(_RIM)]
    rims: list[tuple[float, ...]] = [
        (radius * cos(a), radius * sin(a), z, 0.0)
        for z in (-length / 2, length / 2)
        for a in angles
    ]
    return rims + _row(radius, length / 2 - radius) if length > 2 * radius else rims


def _of_box(size: tuple[float, ...]) -> list[tuple[float, ...]]:
    x, y, z = (np.linspace(-s / 2, s / 2, _count(s)) for s in size)
    grid = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    on_surface = (np.abs(grid) > np.array(size) / 2 - 1e-9).any(axis=1)
    return [(*point, 0.0) for point in grid[on_surface].tolist()]


def _count(length: float) -> int:
    return min(_MAX_PER_EDGE, 1 + ceil(length / SPACING)) if length > 0 else 1


def _joints(
    layout: Layout, hand: HandDescription, names: Iterable[tuple[str, int]], count: int
) -> tuple[tuple[str, ...], ...]:
    joints: list[list[str]] = [[] for _ in range(count)]
    for name, finger in names:
        joint = layout.entity(name).joint
        if finger != PALM and joint in hand.joints:
            joints[finger].append(joint)
    return tuple(tuple(of_finger) for of_finger in joints)


_Measure: TypeAlias = Callable[[Floats, tuple[float, ...]], tuple[Floats, Floats]]
_TINY = 1e-12


class ObjectGeometry:
    """Signed distances to an object that consists of spheres, cylinders, capsules and boxes.

    Args:
        shapes: the object's shapes; those that do not collide or are of another kind are ignored.
    """

    def __init__(self, shapes: Sequence[Shape]) -> None:
        parts = [_Part.of(s) for s in shapes if s.collides and s.kind in _MEASURES]
        # Largest part first: it is the nearest one to most points, which then skip the others.
        self._parts = sorted(parts, key=lambda part: -part.radius)
        self._centres = np.array([part.position for part in self._parts[1:]]).reshape(-1, 1, 3)
        self._radii = np.array([part.radius for part in self._parts[1:]])[:, None]

    @property
    def is_known(self) -> bool:
        """Whether the object has any supported shape."""
        return bool(self._parts)

    def measure(self, points: Floats) -> tuple[Floats, Floats]:
        """Return signed distances (n,) [m], negative inside, and outward unit normals (n, 3).

        Args:
            points: (n, 3) in the object's frame.
        """
        best, normals = self._parts[0].measure(points)
        if len(self._parts) == 1:
            return best, normals
        away = points - self._centres
        bounds = np.sqrt(np.vecdot(away, away)) - self._radii
        for number in (bounds < best).any(axis=1).nonzero()[0].tolist():
            nearer = (bounds[number] < best).nonzero()[0]  # `best` shrinks from part to part
            distances, directions = self._parts[number + 1].measure(points[nearer])
            better = distances < best[nearer]
            chosen = nearer[better]
            best[chosen], normals[chosen] = distances[better], directions[better]
        return best, normals


@dataclass(frozen=True, slots=True)
class _Part:
    """A shape of the object, and its bounding sphere."""

    kind: ShapeKind
    size: tuple[float, ...]
    position: Floats
    rotation: Floats
    radius: float

    @classmethod
    def of(cls, shape: Shape) -> _Part:
        position, rotation = np.array(shape.pose[:3]), rotation_matrix(shape.pose[3:])
        return cls(shape.kind, shape.size, position, rotation, _radius(shape))

    def measure(self, points: Floats) -> tuple[Floats, Floats]:
        local = (points - self.position) @ self.rotation
        distances, normals = _MEASURES[self.kind](local, self.size)
        return distances, normals @ self.rotation.T


def _radius(shape: Shape) -> float:
    """Return the radius of a shape's bounding sphere [m]."""
    match shape.kind:
        case ShapeKind.SPHERE:
            return shape.size[0]
        case ShapeKind.CAPSULE:
            return shape.size[0] + shape.size[1] / 2
        case ShapeKind.CYLINDER:
            return math.hypot(shape.size[0], shape.size[1] / 2)
    return math.hypot(*shape.size) / 2


def _sphere(points: Floats, size: tuple[float, ...]) -> tuple[Floats, Floats]:
    lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
    return lengths - size[0], points / np.maximum(lengths, _TINY)[:, None]


def _capsule(points: Floats, size: tuple[float, ...]) -> tuple[Floats, Floats]:
    around = points.copy()
    around[:, 2] -= np.clip(points[:, 2], -size[1] / 2, size[1] / 2)
    return _sphere(around, size)


def _box(points: Floats, size: tuple[float, ...]) -> tuple[Floats, Floats]:
    distances, normals = _corner(np.abs(points) - np.array(size) / 2)
    return distances, np.copysign(normals, points)


def _cylinder(points: Floats, size: tuple[float, ...]) -> tuple[Floats, Floats]:
    radial = np.hypot(points[:, 0], points[:, 1])
    excess = np.empty((len(points), 2))
    excess[:, 0], excess[:, 1] = radial - size[0], np.abs(points[:, 2]) - size[1] / 2
    distances, flat = _corner(excess)
    normals = np.empty((len(points), 3))
    normals[:, :2] = points[:, :2] * (flat[:, 0] / np.maximum(radial, _TINY))[:, None]
    normals[:, 2] = np.copysign(flat[:, 1], points[:, 2])
    return distances, normals


def _corner(excess: Floats) -> tuple[Floats, Floats]:
    """Return signed distances (n,) to the negative orthant, and outward unit normals (n, k).

    Args:
        excess: (n, k) signed distances to the k faces.
    """
    beyond = np.maximum(excess, 0.0)
    outside = np.sqrt(np.einsum("ij,ij->i", beyond, beyond))
    normals = beyond / np.maximum(outside, _TINY)[:, None]
    within = (outside == 0).nonzero()[0]
    if len(within):
        faces = excess[within].argmax(axis=1)
        outside[within] = excess[within, faces]
        normals[within, faces] = 1.0
    return outside, normals


_MEASURES: dict[ShapeKind, _Measure] = {
    ShapeKind.SPHERE: _sphere,
    ShapeKind.CAPSULE: _capsule,
    ShapeKind.CYLINDER: _cylinder,
    ShapeKind.BOX: _box,
}
