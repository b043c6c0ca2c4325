"""The scene of a layout as a page draws it, for films and for the page of a run that goes on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hetwin_core.ensemble.conductor.reporting.listener import ModelRecord
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.values import Shape, ShapeKind
from hetwin_suite.view.film.film import Actor, Body, Mesh, Part, Responsible, Scene
from hetwin_suite.view.film.meshes import MOST_FACES, small_mesh
from hetwin_suite.view.film.worth_drawing import drawn_shapes
from hetwin_suite.view.palette import model_colours

_FACES_OF_SOLIDS = 600
"""Of a mesh that is drawn only when one asks for collision shapes."""

_BARE = 2 / 3
"""A robot gets bones if a larger share of its moving links has nothing to draw."""


def scene_of(
    name: str,
    layout: Layout,
    models: Iterable[ModelRecord],
    candidates: Mapping[tuple[str, str], Sequence[str]] | None = None,
) -> Scene:
    """The scene without where it is.

    Args:
        name: of the scenario.
        layout: entities and attributes.
        models: in the order in which owners count.
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
    """The meshes of a scene, each once."""

    def __init__(self) -> None:
        self.kept: list[Mesh] = []
        self._numbers: dict[tuple[bytes, bytes, int], int] = {}

    def number(self, shape: Shape, most: int) -> int:
        """Index of a shape's mesh; -1 if it has none."""
        if shape.vertices is None or shape.faces is None:
            return -1
        key = shape.vertices.tobytes(), shape.faces.tobytes(), most
        if key not in self._numbers:
            mesh = small_mesh(shape, most)
            if mesh is None:
                return -1
            self._numbers[key] = len(self.kept)
            self.kept.append(mesh)
        return self._numbers[key]


def _parts(entity: Entity, meshes: _Meshes) -> tuple[Part, ...]:
    drawn = {id(shape) for shape in drawn_shapes(entity)}
    parts = []
    for shape in entity.shapes:
        seen = id(shape) in drawn
        if not (seen or shape.collides):
            continue
        mesh = -1
        if shape.kind is ShapeKind.MESH:
            mesh = meshes.number(shape, MOST_FACES if seen else _FACES_OF_SOLIDS)
            if mesh < 0:
                continue
        size = tuple(float(x) for x in shape.size)
        r, g, b, a = (float(x) for x in shape.rgba)
        pose = in_page_order(shape.pose)
        parts.append(Part(shape.kind.value, size, pose, (r, g, b, a), seen, shape.collides, mesh))
    return tuple(parts)


def in_page_order(pose: Sequence[float]) -> tuple[float, ...]:
    """Return x y z, qx qy qz qw of a pose x y z, qw qx qy qz."""
    x, y, z, qw, qx, qy, qz = (float(number) for number in pose[:7])
    return x, y, z, qx, qy, qz, qw


def _bones(layout: Layout, numbers: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
    """The bones of all robots most of whose moving links have nothing to draw."""
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
