"""The shapes of the scene for rays, and the points of an object at which rays are aimed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.rotations import rotation_matrix
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats

_KINDS = {
    ShapeKind.BOX: mj.mjtGeom.mjGEOM_BOX,
    ShapeKind.SPHERE: mj.mjtGeom.mjGEOM_SPHERE,
    ShapeKind.CYLINDER: mj.mjtGeom.mjGEOM_CYLINDER,
    ShapeKind.CAPSULE: mj.mjtGeom.mjGEOM_CAPSULE,
    ShapeKind.ELLIPSOID: mj.mjtGeom.mjGEOM_ELLIPSOID,
    ShapeKind.PLANE: mj.mjtGeom.mjGEOM_PLANE,
    ShapeKind.MESH: mj.mjtGeom.mjGEOM_MESH,
}
_NO_POINTS = (ShapeKind.PLANE,)


@dataclass(frozen=True, slots=True)
class Hits:
    """What rays have hit, nearest first.

    Attributes:
        entities: (n,) index of the entity in the layout; -1 for none.
        distances: (n,) [m].
    """

    entities: np.ndarray[tuple[int], np.dtype[np.intp]]
    distances: Floats


class Shapes:
    """All shapes of a scene as MuJoCo's geoms, moved to where the scene has them.

    Args:
        layout: of the scene.
    """

    def __init__(self, layout: Layout) -> None:
        shown = [e for e in layout.entities if e.shapes and layout.has(e.name, POSE.name)]
        self._model = _compile(shown)
        self._data = mj.MjData(self._model)
        self._poses = [layout.range_of(entity.name, POSE.name) for entity in shown]
        bodies = [-1, *(layout.entity_id(entity.name) for entity in shown)]
        self._entity_of_geom = np.array(bodies, np.intp)[self._model.geom_bodyid]
        self._body_of = {entity.name: i + 1 for i, entity in enumerate(shown)}

    def update(self, scene: Snapshot) -> None:
        """Move everything to where it is in a scene."""
        data = self._data
        for i, where in enumerate(self._poses):
            pose = scene.values[where]
            data.mocap_pos[i] = pose[:3]
            data.mocap_quat[i] = pose[3:7]
        mj.mj_kinematics(self._model, data)

    def cast(self, begin: Floats, ways: Floats, reach: float, without: str) -> Hits:
        """Cast rays.

        Args:
            begin: (3,) where they begin [m].
            ways: (n, 3) unit vectors along them.
            reach: how far they go [m].
            without: an entity that does not stop them; empty: none.
        """
        count = len(ways)
        geoms, distances = np.empty(count, np.int32), np.empty(count)
        mj.mj_multiRay(
            self._model,
            self._data,
            begin,
            np.ascontiguousarray(ways).ravel(),
            None,
            True,
            self._body_of.get(without, -1),
            geoms,
            distances,
            None,
            count,
            reach,
        )
        hit = (geoms >= 0) & (distances <= reach)
        entities = np.where(hit, self._entity_of_geom[np.maximum(geoms, 0)], -1)
        return Hits(entities, distances)


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


def _compile(entities: Sequence[Entity]) -> mj.MjModel:
    spec = mj.MjSpec()
    for entity in entities:
        body = spec.worldbody.add_body(name=entity.name, mocap=True)
        for i, shape in enumerate(entity.shapes):
            geom = body.add_geom(type=_KINDS[shape.kind], pos=list(shape.pose[:3]))
            geom.quat = list(shape.pose[3:])
            geom.contype = geom.conaffinity = 0
            if shape.kind is ShapeKind.MESH:
                geom.meshname = _mesh(spec, f"{entity.name} {i}", shape)
            else:
                geom.size = _size(shape)
    return spec.compile()


def _mesh(spec: mj.MjSpec, name: str, shape: Shape) -> str:
    assert shape.vertices is not None
    mesh = spec.add_mesh(name=name, uservert=np.ravel(shape.vertices))
    if shape.faces is not None and len(shape.faces):
        mesh.userface = np.ravel(shape.faces)
    mesh.inertia = mj.mjtMeshInertia.mjMESH_INERTIA_SHELL
    return name


def _size(shape: Shape) -> list[float]:
    """MuJoCo has half lengths."""
    match shape.kind:
        case ShapeKind.BOX | ShapeKind.PLANE:
            return [*(length / 2.0 for length in shape.size), 1.0][:3]
        case ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            return [shape.size[0], shape.size[1] / 2.0, 0.0]
        case ShapeKind.SPHERE:
            return [shape.size[0], 0.0, 0.0]
    return list(shape.size)
