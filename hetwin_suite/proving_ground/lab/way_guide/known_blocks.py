"""The obstacles of a scene that never move, as a robot of some height meets them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hetwin_suite.model import EntityKind, Floats, Shape, ShapeKind, Snapshot, compose, pose_value
from hetwin_suite.proving_ground.lab.way_guide.free_space import Block

_FLOOR = 0.02
"""What ends below this height is driven over [m]."""


def known_blocks(scene: Snapshot, height: float) -> list[Block]:
    """Return the obstacles.

    Args:
        scene: its static bodies are the obstacles.
        height: of the robot; what begins above it is no obstacle [m].
    """
    found: list[Block] = []
    for entity in scene.layout.of_kind(EntityKind.STATIC):
        if not scene.layout.has(entity.name, "pose"):
            continue
        at = scene.pose(entity.name)
        for shape in entity.shapes:
            if shape.collides and shape.kind is not ShapeKind.PLANE:
                found += _blocks(shape, at, height)
    return found


def _blocks(shape: Shape, at: Floats, height: float) -> Iterator[Block]:
    own = pose_value(shape.pose[:3], shape.pose[3:]).data  # type: ignore[arg-type]
    x, y, z, w, i, j, k = compose(at, own)[:7].tolist()
    lengths, radius = _measures(shape)
    if z - lengths[2] / 2.0 > height or z + lengths[2] / 2.0 < _FLOOR:
        return
    yaw = math.atan2(2.0 * (w * k + i * j), 1.0 - 2.0 * (j * j + k * k))
    half = (0.0, 0.0) if radius else (lengths[0] / 2.0, lengths[1] / 2.0)
    yield Block((x, y), yaw, half, radius)


def _measures(shape: Shape) -> tuple[tuple[float, float, float], float]:
    """Full lengths [m], and the radius of what is round [m]; a mesh is as large as its box."""
    size = shape.size
    match shape.kind:
        case ShapeKind.BOX:
            return (size[0], size[1], size[2]), 0.0
        case ShapeKind.SPHERE:
            return (2.0 * size[0],) * 3, size[0]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            round_ends = 2.0 * size[0] if shape.kind is ShapeKind.CAPSULE else 0.0
            return (2.0 * size[0], 2.0 * size[0], size[1] + round_ends), size[0]
        case ShapeKind.ELLIPSOID:
            return (2.0 * size[0], 2.0 * size[1], 2.0 * size[2]), 0.0
    assert shape.vertices is not None
    low, high = shape.vertices.min(axis=0), shape.vertices.max(axis=0)
    reach = [2.0 * max(abs(a), abs(b)) for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    return (reach[0], reach[1], reach[2]), 0.0
