"""The geometry of an object: signed distances to its surface, and the surface's normals."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats

_Measure: TypeAlias = Callable[[Floats, tuple[float, ...]], tuple[Floats, Floats]]
_TINY = 1e-12


class ObjectGeometry:
    """Signed distances to an object that consists of spheres, cylinders, capsules and boxes.

    Args:
        shapes: the object's shapes; those that do not collide or are of another kind are ignored.
    """

    def __init__(self, shapes: Sequence[Shape]) -> None:
        parts = [_Part.of(s) for s in shapes if s.collides and s.kind in _MEASURES]
        # The largest first: most points are nearest to it and need not be compared with the others.
        self._parts = sorted(parts, key=lambda part: -part.radius)

    @property
    def is_known(self) -> bool:
        """Whether the object has any supported shape."""
        return bool(self._parts)

    def measure(self, points: Floats) -> tuple[Floats, Floats]:
        """Return signed distances (n,) [m], negative inside, and outward unit normals (n, 3).

        Args:
            points: (n, 3) in the object's frame.
        """
        first, *others = self._parts
        best, normals = first.measure(points)
        for part in others:
            nearer = np.flatnonzero(part.at_least(points) < best)
            if not len(nearer):
                continue
            distances, directions = part.measure(points[nearer])
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

    def at_least(self, points: Floats) -> Floats:
        """Return (n,) a lower bound of the distances of points [m]."""
        away = points - self.position
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", away, away)) - self.radius)

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
    """Return distances to, and normals of, the orthant in which all coordinates are negative."""
    beyond = np.maximum(excess, 0.0)
    outside = np.sqrt(np.einsum("ij,ij->i", beyond, beyond))
    normals = beyond / np.maximum(outside, _TINY)[:, None]
    within = np.flatnonzero(outside == 0)
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
