"""What a camera can see: which share of each object is in its picture and hidden by nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.scene_shapes import SceneShapes

_NO_POINTS = (ShapeKind.PLANE,)


def points_in(shapes: Sequence[Shape], count: int) -> Floats:
    """Return (n, 3) points in an object's frame that are spread over it, the same ones at every call.

    Args:
        shapes: the object's; of a mesh, points on its surface.
        count: about so many points.
    """
    solid = [shape for shape in shapes if shape.kind not in _NO_POINTS]
    random = np.random.default_rng(0)
    share = max(1, round(count / max(1, len(solid))))
    rows = [_placed(shape, _points(shape, share, random)) for shape in solid]
    return np.vstack(rows) if rows else np.zeros((0, 3))


def _points(shape: Shape, count: int, random: np.random.Generator) -> Floats:
    """(count, 3) points in the shape's own frame."""
    if shape.kind is ShapeKind.MESH:
        assert shape.vertices is not None
        if shape.faces is None or not len(shape.faces):
            return np.asarray(shape.vertices[random.integers(len(shape.vertices), size=count)])
        corners = shape.vertices[shape.faces[random.integers(len(shape.faces), size=count)]]
        shares = random.dirichlet((1.0, 1.0, 1.0), count)
        return np.asarray(np.einsum("nc,ncd->nd", shares, corners))
    cube = random.uniform(-0.95, 0.95, (count, 3))
    if shape.kind is ShapeKind.BOX:
        return np.asarray(cube * np.array(shape.size) / 2.0)
    ball = cube / np.maximum(1.0, np.linalg.norm(cube, axis=1, keepdims=True))
    if shape.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return np.asarray(ball * np.array(shape.size))
    radius, length = shape.size  # a cylinder or a capsule
    flat = cube[:, :2] / np.maximum(1.0, np.linalg.norm(cube[:, :2], axis=1, keepdims=True))
    return np.column_stack((radius * flat, length / 2.0 * cube[:, 2]))


def _placed(shape: Shape, points: Floats) -> Floats:
    """Points of a shape's frame in the entity's."""
    turned = points @ rotation_matrix(np.array(shape.pose[3:])).T
    return np.asarray(turned + np.array(shape.pose[:3]))


@dataclass(frozen=True, slots=True)
class View:
    """The view of a camera, which looks along its x axis, with z up.

    Attributes:
        width, height: angles of the picture [rad].
        nearest, reach: what is nearer, or further, is not seen [m].
    """

    width: float
    height: float
    nearest: float
    reach: float

    def contains(self, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """(n,) whether points (n, 3) in the camera's frame are in the picture."""
        x, y, z = points.T
        ahead = np.maximum(x, 1e-9)
        inside = (x > 0.0) & (np.abs(y) <= ahead * math.tan(self.width / 2.0))
        inside &= np.abs(z) <= ahead * math.tan(self.height / 2.0)
        distances = np.linalg.norm(points, axis=1)
        return np.asarray(inside & (distances >= self.nearest) & (distances <= self.reach))


class Sight:
    """Casts rays at points of objects.

    Args:
        layout: of the scene.
        objects: their names.
        view: of the camera.
        rays: number of points of each object.
    """

    def __init__(self, layout: Layout, objects: Sequence[str], view: View, rays: int) -> None:
        self._shapes = SceneShapes(layout)
        self._view = view
        self._names = list(objects)
        self._ids = [layout.entity_id(name) for name in objects]
        self._points = [points_in(layout.entity(name).shapes, rays) for name in objects]

    def shares(self, scene: Snapshot, camera: Floats, without: str) -> Floats:
        """Return (n,) the share of each object that is seen, 0 to 1.

        Args:
            scene: with the poses of everything.
            camera: (13,) pose of the camera in the world.
            without: the entity that the camera is fixed to, which hides nothing.
        """
        turn = rotation_matrix(camera[3:7])
        self._shapes.update(scene)
        found = np.zeros(len(self._names))
        for i, name in enumerate(self._names):
            points = self._points[i]
            if not len(points):
                continue
            pose = scene.pose(name)
            there = points @ rotation_matrix(pose[3:7]).T + pose[:3]
            rays = there[self._view.contains((there - camera[:3]) @ turn)] - camera[:3]
            if not len(rays):
                continue
            ways = rays / np.linalg.norm(rays, axis=1, keepdims=True)
            hits = self._shapes.cast(camera[:3], ways, self._view.reach, without)
            found[i] = float(np.count_nonzero(hits == self._ids[i])) / len(points)
        return found
