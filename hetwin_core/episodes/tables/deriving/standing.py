"""What bodies that never move stand on and touch: from their shapes, as no engine looks for contacts between them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import POSE, Floats

NEAR_M = 1e-3
"""Bodies that are not farther apart touch [m]."""
_ALIGNED = 1.0 - 1e-9
_HERE = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
Pair = tuple[str, str]


class Standing(NamedTuple):
    """Pairs of bodies that never move.

    Attributes:
        on: the first one stands on the second.
        contact: they touch.
        unclear: whether they do does not follow from the bounds of their shapes.
    """

    on: tuple[Pair, ...] = ()
    contact: tuple[Pair, ...] = ()
    unclear: frozenset[Pair] = frozenset()


def standing(layout: Layout, values: Floats) -> Standing:
    """Return how the bodies of a scene that never move stand on each other.

    Args:
        layout: of the scene.
        values: of a state.
    """
    bodies = layout.of_kind(EntityKind.STATIC)
    shapes = [(e.name, s) for e in bodies for s in e.shapes if s.collides]
    if not shapes:
        return Standing()
    posed = {e.name: _pose(layout, values, e.name) for e in bodies}
    bounds = [_bounds(shape, posed[name]) for name, shape in shapes]
    low, high = (np.array([b[i] for b in bounds]) for i in (0, 1))
    exact = np.array([b[2] for b in bounds], np.bool_)
    reaches = np.all(low[:, None] <= high[None] + NEAR_M, axis=2)
    near = reaches & reaches.T
    over = (low[:, None, :2] < high[None, :, :2]).all(axis=2)
    level = np.abs(low[:, None, 2] - high[None, :, 2]) <= NEAR_M
    sure = exact[:, None] & exact[None]
    names = [name for name, _ in shapes]
    return Standing(
        _pairs(names, near & over & over.T & level & sure),
        _pairs(names, np.triu(near & sure)),
        frozenset(_pairs(names, near & ~sure)) | _shapeless(layout),
    )


def _shapeless(layout: Layout) -> frozenset[Pair]:
    names = [e.name for e in layout.of_kind(EntityKind.STATIC)]
    bare = {e.name for e in layout.entities if not any(s.collides for s in e.shapes)}
    return frozenset((a, b) for a in names for b in names if a != b and {a, b} & bare)


def _pairs(names: list[str], which: NDArray[np.bool_]) -> tuple[Pair, ...]:
    found = ((names[i], names[j]) for i, j in np.argwhere(which).tolist())
    return tuple(dict.fromkeys((a, b) for a, b in found if a != b))


def _pose(layout: Layout, values: Floats, name: str) -> Floats:
    return values[layout.range_of(name, POSE.name)][:7] if layout.has(name, POSE.name) else _HERE


def _bounds(shape: Shape, body: Floats) -> tuple[Floats, Floats, bool]:
    """Lowest and highest corner of a shape in the world, and whether it fills them up to their top and bottom."""
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
    """Half lengths of a shape along its axes; None of a mesh."""
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
