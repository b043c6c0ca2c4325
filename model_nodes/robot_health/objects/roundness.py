"""How an entity may turn without looking different."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats

_ROUND = (ShapeKind.CYLINDER, ShapeKind.CAPSULE)
_PARALLEL = 0.999


def is_ball(shapes: Sequence[Shape]) -> bool:
    """Whether the colliding shapes are spheres only, so that no turn shows."""
    solid = [shape for shape in shapes if shape.collides]
    return bool(solid) and all(shape.kind is ShapeKind.SPHERE for shape in solid)


def round_axis(shapes: Sequence[Shape]) -> Floats | None:
    """(3,) the axis about which all colliding shapes are round, in their entity's frame; None if there is none."""
    solid = [shape for shape in shapes if shape.collides]
    if not solid or any(shape.kind not in _ROUND for shape in solid):
        return None
    axes = np.array([rotation_matrix(shape.pose[3:7])[:, 2] for shape in solid])
    first: Floats = axes[0]
    return first if bool((np.abs(axes @ first) > _PARALLEL).all()) else None
