"""The shapes of a scene in MuJoCo, for ray casting and for distances between surfaces."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats, Shape, ShapeKind

GEOM_TYPES = {
    ShapeKind.BOX: mj.mjtGeom.mjGEOM_BOX,
    ShapeKind.SPHERE: mj.mjtGeom.mjGEOM_SPHERE,
    ShapeKind.CYLINDER: mj.mjtGeom.mjGEOM_CYLINDER,
    ShapeKind.CAPSULE: mj.mjtGeom.mjGEOM_CAPSULE,
    ShapeKind.ELLIPSOID: mj.mjtGeom.mjGEOM_ELLIPSOID,
    ShapeKind.PLANE: mj.mjtGeom.mjGEOM_PLANE,
    ShapeKind.MESH: mj.mjtGeom.mjGEOM_MESH,
}
"""Kind of a shape -> MuJoCo's type of a geom."""


_POINT = 1e-6
"""Radius of the sphere that represents a point [m]."""
_POINT_NAME = "a point of hetwin's own"
_UNSEEN = 5
_SEEN = np.array([1, 1, 1, 1, 1, 0], np.uint8)
"""Visibility of geom groups for rays: they pass through the group `_UNSEEN`."""


class SceneShapes:
    """All shapes of a scene as MuJoCo's geoms; `update` moves them to their current poses.

    Args:
        layout: layout of the scene.

    Attributes:
        unchanging: excludes it from the saved state of models.
    """

    unchanging: ClassVar[bool] = True

    def __init__(self, layout: Layout) -> None:
        shown = [e for e in layout.entities if e.shapes and layout.has(e.name, POSE.name)]
        self._model = _compile(shown)
        self._data = mj.MjData(self._model)
        self._poses = [layout.range_of(entity.name, POSE.name) for entity in shown]
        bodies = [-1, *(layout.entity_id(entity.name) for entity in shown)]
        bodies.append(-1)  # the body of the point
        self._entity_of_geom = np.array(bodies, np.intp)[self._model.geom_bodyid]
        self._point = int(self._model.ngeom) - 1
        self._collides = {e.name: [shape.collides for shape in e.shapes] for e in shown}
        self._body_of = {entity.name: i + 1 for i, entity in enumerate(shown)}

    def update(self, scene: Snapshot) -> None:
        """Move all shapes to their poses in a scene."""
        data = self._data
        for i, where in enumerate(self._poses):
            pose = scene.values[where]
            data.mocap_pos[i] = pose[:3]
            data.mocap_quat[i] = pose[3:7]
        mj.mj_kinematics(self._model, data)

    def cast(self, begin: Floats, rays: Floats, reach: float, without: str) -> NDArray[np.intp]:
        """Return (n,) the index in the layout of the first entity that each ray hits; -1 for none.

        Args:
            begin: (3,) common origin of the rays [m].
            rays: (n, 3) directions of the rays, unit vectors.
            reach: maximum length of the rays [m].
            without: entity that rays pass through; empty: none.
        """
        count = len(rays)
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        mj.mj_multiRay(
            self._model,
            self._data,
            begin,
            np.ascontiguousarray(rays).ravel(),
            _SEEN,
            True,
            self._body_of.get(without, -1),
            geoms,
            distances,
            None,
            count,
            reach,
        )
        hit = (geoms >= 0) & (distances <= reach)
        return np.where(hit, self._entity_of_geom[np.maximum(geoms, 0)], -1)

    def distance(self, first: Iterable[str], second: Iterable[str], limit: float) -> float:
        """Return the distance between two groups of entities' surfaces; negative if they overlap, at most `limit`.

        Args:
            first: names of entities; those without shapes are ignored.
            second: names of other entities.
            limit: maximum distance of interest [m].
        """
        nearest = limit
        geoms = [geom for name in second for geom in self._geoms(name)]
        for one in (geom for name in first for geom in self._geoms(name)):
            for other in geoms:
                found = mj.mj_geomDistance(self._model, self._data, one, other, nearest, None)
                nearest = min(nearest, float(found))
        return nearest

    def distance_to(self, point: Floats, entities: Iterable[str], limit: float) -> float:
        """Return the distance from a point to the nearest surface; negative inside, at most `limit`.

        Args:
            point: (3,) in the world [m].
            entities: names of the entities.
            limit: maximum distance of interest [m].
        """
        self._data.mocap_pos[-1] = point
        mj.mj_kinematics(self._model, self._data)
        nearest = limit
        for geom in (geom for name in entities for geom in self._geoms(name)):
            found = mj.mj_geomDistance(self._model, self._data, self._point, geom, nearest, None)
            nearest = min(nearest, float(found) + _POINT)
        return nearest

    def _geoms(self, name: str) -> Sequence[int]:
        """Return the geoms with collisions of an entity; if there are none, its visual geoms."""
        body = self._body_of.get(name)
        if body is None:
            return range(0)
        begin = int(self._model.body_geomadr[body])
        geoms = range(begin, begin + int(self._model.body_geomnum[body]))
        solid = [g for g, collides in zip(geoms, self._collides[name], strict=True) if collides]
        return solid or geoms


def _compile(entities: Sequence[Entity]) -> mj.MjModel:
    spec = mj.MjSpec()
    for entity in entities:
        body = spec.worldbody.add_body(name=entity.name, mocap=True)
        for i, shape in enumerate(entity.shapes):
            _add(spec, body, f"{entity.name} {i}", shape)
    point = spec.worldbody.add_body(name=_POINT_NAME, mocap=True)
    dot = point.add_geom(type=mj.mjtGeom.mjGEOM_SPHERE, size=[_POINT, 0.0, 0.0], group=_UNSEEN)
    dot.contype = dot.conaffinity = 0
    return spec.compile()


def add_shapes(
    spec: mj.MjSpec, body: mj.MjsBody, entity: Entity, is_of: int, meets: int, margin: float
) -> None:
    """Add an entity's colliding shapes to a body.

    Args:
        spec: specification with the body.
        body: body to which the shapes are added.
        entity: entity with the shapes.
        is_of, meets: masks; two shapes collide if one's `is_of` and the other's `meets` share a bit.
        margin: contacts are detected at distances below the larger margin of the two [m].
    """
    for i, shape in enumerate(entity.shapes):
        if shape.collides:
            geom = _add(spec, body, f"{entity.name} {i}", shape)
            geom.contype, geom.conaffinity, geom.margin = is_of, meets, margin


def _add(spec: mj.MjSpec, body: mj.MjsBody, name: str, shape: Shape) -> mj.MjsGeom:
    geom = body.add_geom(type=GEOM_TYPES[shape.kind], pos=list(shape.pose[:3]))
    geom.quat = list(shape.pose[3:])
    geom.contype = geom.conaffinity = 0
    if shape.kind is ShapeKind.MESH:
        geom.meshname = _mesh(spec, name, shape)
    else:
        geom.size = _size(shape)
    return geom


def _mesh(spec: mj.MjSpec, name: str, shape: Shape) -> str:
    assert shape.vertices is not None
    mesh = spec.add_mesh(name=name, uservert=np.ravel(shape.vertices))
    if shape.faces is not None and len(shape.faces):
        mesh.userface = np.ravel(shape.faces)
    mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return name


def _size(shape: Shape) -> list[float]:
    """Return the size as MuJoCo expects it, with half lengths."""
    match shape.kind:
        case ShapeKind.BOX | ShapeKind.PLANE:
            return [*(length / 2.0 for length in shape.size), 1.0][:3]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            return [shape.size[0], shape.size[1] / 2.0, 0.0]
        case ShapeKind.SPHERE:
            return [shape.size[0], 0.0, 0.0]
    return list(shape.size)
