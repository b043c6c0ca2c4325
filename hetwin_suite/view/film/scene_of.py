"""Builds, from a layout, the scene that a page draws, for films and for live runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from hetwin_suite.view.film.film import Actor, Body, Mesh, Part, Responsible, Scene
from hetwin_suite.view.palette import model_colours

_MAX_COLLISION_FACES = 600
"""Maximum number of faces of a mesh that is drawn only as a collision shape."""

_BARE = 2 / 3
"""Bones are drawn if more than this fraction of a robot's moving links have no shapes."""


def scene_of(
    name: str,
    layout: Layout,
    models: Iterable[ModelRecord],
    candidates: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> Scene:
    """Return the scene of a layout.

    Args:
        name: name of the scenario.
        layout: entities and attributes.
        models: models of the ensemble; owners are indices into them.
        candidates: (entity, attribute) -> names of the models that can be responsible for it.
    """
    records = tuple(models)
    colours = model_colours(records)
    actors = tuple(Actor(record.name, colours[record.name], record.main) for record in records)
    meshes = _Meshes()
    bodies = tuple(
        Body(entity.name, entity.kind.value, _parts(entity, meshes))
        for entity in layout.entities
        if entity.shapes or layout.has(entity.name, "pose")
    )
    numbers = {record.name: i for i, record in enumerate(records)}
    known = candidates or {}
    attributes = tuple(
        Responsible(
            slot.entity,
            slot.attribute.name,
            tuple(numbers[model] for model in known.get((slot.entity, slot.attribute.name), ())),
        )
        for slot in layout.slots
    )
    bones = _bones(layout, {body.name: i for i, body in enumerate(bodies)})
    return Scene(name, actors, bodies, tuple(meshes.kept), attributes, bones)


class _Meshes:
    """The meshes of a scene, without duplicates."""

    def __init__(self) -> None:
        self.kept: list[Mesh] = []
        self._numbers: dict[tuple[bytes, bytes, int], int] = {}

    def number(self, shape: Shape, max_faces: int) -> int:
        """Return the index of a shape's mesh, with at most about `max_faces` faces; -1 if it has none."""
        if shape.vertices is None or shape.faces is None:
            return -1
        key = shape.vertices.tobytes(), shape.faces.tobytes(), max_faces
        if key not in self._numbers:
            mesh = small_mesh(shape, max_faces)
            if mesh is None:
                return -1
            self._numbers[key] = len(self.kept)
            self.kept.append(mesh)
        return self._numbers[key]


def _parts(entity: Entity, meshes: _Meshes) -> tuple[Part, ...]:
    drawn = {id(shape) for shape in drawn_shapes(entity)}
    parts = []
    for shape in entity.shapes:
        is_drawn = id(shape) in drawn
        if not (is_drawn or shape.collides):
            continue
        mesh = -1
        if shape.kind is ShapeKind.MESH:
            mesh = meshes.number(shape, MAX_FACES if is_drawn else _MAX_COLLISION_FACES)
            if mesh < 0:
                continue
        size = tuple(float(x) for x in shape.size)
        r, g, b, a = (float(x) for x in shape.rgba)
        pose = in_page_order(shape.pose)
        colour, collides = (r, g, b, a), shape.collides
        parts.append(Part(shape.kind.value, size, pose, colour, is_drawn, collides, mesh))
    return tuple(parts)


def in_page_order(pose: Sequence[float]) -> tuple[float, ...]:
    """Convert a pose x y z, qw qx qy qz to x y z, qx qy qz qw."""
    x, y, z, qw, qx, qy, qz = (float(number) for number in pose[:7])
    return x, y, z, qx, qy, qz, qw


def _bones(layout: Layout, numbers: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """Return the bones, (parent, child) indices of bodies, of robots most of whose moving links have no shapes."""
    found = []
    for robot in layout.of_kind(EntityKind.ROBOT):
        links = [
            link
            for link in layout.of_kind(EntityKind.LINK)
            if link.owner == robot.name and layout.has(link.name, "pose")
        ]
        bare = {link.name for link in links if not drawn_shapes(link)}
        moved = [link for link in links if link.joint]
        if sum(link.name in bare for link in moved) > _BARE * len(moved):
            found += [
                (numbers[link.parent], numbers[link.name])
                for link in links
                if layout.has(link.parent, "pose") and {link.name, link.parent} & bare
            ]
    return tuple(found)


MAX_FACES = 4000
_FINEST, _COARSEST = 64, 8
"""Range of the number of grid cells along a mesh's longest side; the vertices in one cell are merged."""


def small_mesh(shape: Shape, max_faces: int = MAX_FACES) -> Mesh | None:
    """Return the mesh of a shape, simplified to at most about `max_faces` faces; None if the shape has no mesh."""
    if shape.vertices is None or shape.faces is None or not len(shape.faces):
        return None
    full = Mesh(np.asarray(shape.vertices, np.float32), np.asarray(shape.faces, np.uint32))
    mesh, cells = full, _FINEST
    while len(mesh.faces) > max_faces and cells >= _COARSEST:
        mesh = _merged(full, cells)
        cells = cells * 3 // 4
    return mesh


def _merged(mesh: Mesh, cells: int) -> Mesh:
    """Merge the vertices in each cell of a grid with `cells` cells along the longest side."""
    low = mesh.vertices.min(axis=0)
    step = max(float(np.ptp(mesh.vertices, axis=0).max()) / cells, 1e-9)
    keys = np.floor((mesh.vertices - low) / step).astype(np.int64)
    flat = (keys[:, 0] * (cells + 1) + keys[:, 1]) * (cells + 1) + keys[:, 2]
    _, group = np.unique(flat, return_inverse=True)
    counts = np.bincount(group)
    sums = [np.bincount(group, mesh.vertices[:, i]) for i in range(3)]
    faces = group[mesh.faces]
    kept = (
        (faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])
    )
    _, first = np.unique(np.sort(faces[kept], axis=1), axis=0, return_index=True)
    vertices = np.stack(sums, axis=1) / counts[:, None]
    return Mesh(vertices.astype(np.float32), faces[kept][np.sort(first)].astype(np.uint32))


_VISIBLE = 0.1
"""Minimum opacity of a visible shape."""
_SMALL = 0.5
"""If the visual shapes' extent is less than this fraction of the collision shapes' extent, both are drawn."""


def drawn_shapes(entity: Entity) -> list[Shape]:
    """Return the shapes to draw: the visual ones, or the collision shapes if there are no visual ones.

    If the visual shapes are only small extras such as a logo or a marker, all shapes are drawn.
    """
    visible = [shape for shape in entity.shapes if shape.rgba[3] > _VISIBLE]
    visual = [shape for shape in visible if not shape.collides]
    solid = [shape for shape in visible if shape.collides]
    if visual and solid and _extent(visual) < _SMALL * _extent(solid):
        return visible
    return visual or solid


def shape_corners(shape: Shape) -> Floats:
    """Return (n, 3) points in the entity's frame whose convex hull contains the shape; planes have none."""
    local = _local_corners(shape)
    corners: Floats = local @ quat2mat(shape.pose[3:7]).T + np.asarray(shape.pose[:3])
    return corners


def _local_corners(shape: Shape) -> Floats:
    size = [float(x) for x in shape.size]
    match shape.kind:
        case ShapeKind.MESH:
            return np.empty((0, 3)) if shape.vertices is None else np.asarray(shape.vertices)
        case ShapeKind.PLANE:
            return np.empty((0, 3))
        case ShapeKind.BOX:
            half = np.array(size[:3]) / 2
        case ShapeKind.ELLIPSOID:
            half = np.array(size[:3])
        case ShapeKind.SPHERE:
            half = np.full(3, size[0])
        case ShapeKind.CYLINDER:
            half = np.array([size[0], size[0], size[1] / 2])
        case ShapeKind.CAPSULE:
            half = np.array([size[0], size[0], size[1] / 2 + size[0]])
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    return signs * half


def _extent(shapes: list[Shape]) -> float:
    points = np.concatenate([shape_corners(shape) for shape in shapes])
    return float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
