"""What a camera can see: which share of each object is in its picture and hidden by nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.camera.aims import points_in
from model_nodes.scene_shapes import SceneShapes


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
