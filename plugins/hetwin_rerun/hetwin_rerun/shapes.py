"""Converts shapes of bodies for Rerun."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_suite.model import Floats, Shape, ShapeKind, rotate

_PLANE_THICKNESS = 1e-3
"""Thickness of a plane [m]."""


def shape_archetype(sdk: Any, shape: Shape) -> Any:
    """Return the archetype of a shape in the frame of its entity, without colour; None for a mesh without triangles."""
    centre = np.asarray([shape.pose[:3]])
    size = [float(length) for length in shape.size]
    solid = {"quaternions": [_xyzw(shape)], "fill_mode": sdk.components.FillMode.Solid}
    match shape.kind:
        case ShapeKind.BOX:
            return sdk.Boxes3D(sizes=[size], centers=centre, **solid)
        case ShapeKind.PLANE:
            return sdk.Boxes3D(
                sizes=[[size[0], size[1], _PLANE_THICKNESS]], centers=centre, **solid
            )
        case ShapeKind.SPHERE:
            return sdk.Ellipsoids3D(half_sizes=[size[:1] * 3], centers=centre, **solid)
        case ShapeKind.ELLIPSOID:
            return sdk.Ellipsoids3D(half_sizes=[size], centers=centre, **solid)
        case ShapeKind.CYLINDER:
            return sdk.Cylinders3D(lengths=size[1:2], radii=size[:1], centers=centre, **solid)
        case ShapeKind.CAPSULE:  # Rerun's starts at its position; the scene's is centred there
            start = centre + np.asarray(rotate(shape.pose[3:7], (0.0, 0.0, -size[1] / 2)))
            return sdk.Capsules3D(lengths=size[1:2], radii=size[:1], translations=start, **solid)
        case ShapeKind.MESH:
            return _mesh(sdk, shape)


def colour_columns(sdk: Any, shape: Shape, rgba: Floats) -> Any:
    """Return the columns of a shape's colour over time.

    Args:
        sdk: Rerun's SDK.
        shape: the shape.
        rgba: (n, 4) colours, components from 0 to 1.
    """
    packed = np.round(rgba * 255).astype(np.uint32) @ np.array(
        [1 << 24, 1 << 16, 1 << 8, 1], np.uint32
    )
    match shape.kind:
        case ShapeKind.BOX | ShapeKind.PLANE:
            return sdk.Boxes3D.columns(colors=packed)
        case ShapeKind.SPHERE | ShapeKind.ELLIPSOID:
            return sdk.Ellipsoids3D.columns(colors=packed)
        case ShapeKind.CYLINDER:
            return sdk.Cylinders3D.columns(colors=packed)
        case ShapeKind.CAPSULE:
            return sdk.Capsules3D.columns(colors=packed)
        case ShapeKind.MESH:
            return sdk.Mesh3D.columns(albedo_factor=packed)


def _mesh(sdk: Any, shape: Shape) -> Any:
    if shape.vertices is None or shape.faces is None or not len(shape.faces):
        return None
    w, x, y, z = shape.pose[3:7]
    points = [np.add(shape.pose[:3], rotate((w, x, y, z), p)) for p in shape.vertices.tolist()]
    return sdk.Mesh3D(vertex_positions=points, triangle_indices=shape.faces)


def _xyzw(shape: Shape) -> list[float]:
    w, x, y, z = shape.pose[3:7]
    return [x, y, z, w]
