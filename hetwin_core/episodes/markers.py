"""The scene's shapes, particles and owners as markers: in the frames of their entities, or all in the world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout, Slot
from hetwin_core.ensemble.scene.poses import multiply, rotate
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import (
    PARTICLE_RGBA,
    WORLD,
    Floats,
    Meaning,
    Shape,
    ShapeKind,
    particles,
)
from hetwin_core.ensemble.topics import MARKERS, PARTICLES
from hetwin_core.episodes.messages import (
    Blanks,
    CdrTemplate,
    colour_message,
    header,
    message,
    point_message,
    pose_message,
    stamp,
    vector_message,
)

SHOWN = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK)
"""Kinds of entities whose shapes are shown."""
LABEL_HEIGHT = 0.04
"""Height of a label's letters, and half of the label's distance from its object [m]."""

# Numbers of visualization_msgs/Marker.
_CUBE, _SPHERE, _CYLINDER, _SPHERE_LIST, _TEXT, _TRIANGLE_LIST = 1, 2, 3, 7, 9, 11
ADD, DELETE = 0, 2

_LABEL_OFFSET = np.array([0.0, 0.0, 2 * LABEL_HEIGHT])
_IDENTITY = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
_WHITE = (1.0, 1.0, 1.0, 1.0)
_MAX_TEMPLATES = 8


class MarkerGeometry(NamedTuple):
    """Type and geometry of a shape's marker.

    Attributes:
        type: type of ``visualization_msgs/Marker``.
        scale: x, y, z [m]; 1 for triangles.
        points: (n, 3) corners of triangles, three for each [m]; empty for all other types.
    """

    type: int
    scale: tuple[float, float, float]
    points: Floats


def marker_geometry(shape: Shape) -> MarkerGeometry:
    """Return the marker geometry of a shape; capsules become cylinders, because there are no capsule markers."""
    size = [float(x) for x in shape.size]
    points = np.empty((0, 3))
    match shape.kind:
        case ShapeKind.BOX:
            kind, scale = _CUBE, (size[0], size[1], size[2])
        case ShapeKind.SPHERE:
            kind, scale = _SPHERE, (2 * size[0], 2 * size[0], 2 * size[0])
        case ShapeKind.ELLIPSOID:
            kind, scale = _SPHERE, (2 * size[0], 2 * size[1], 2 * size[2])
        case ShapeKind.CYLINDER:
            kind, scale = _CYLINDER, (2 * size[0], 2 * size[0], size[1])
        case ShapeKind.CAPSULE:
            kind, scale = _CYLINDER, (2 * size[0], 2 * size[0], size[1] + 2 * size[0])
        case ShapeKind.PLANE:
            kind, scale = _CUBE, (size[0], size[1], 1e-3)
        case ShapeKind.MESH:
            kind, scale = _TRIANGLE_LIST, (1.0, 1.0, 1.0)
            if shape.vertices is not None and shape.faces is not None:
                points = np.asarray(shape.vertices[shape.faces.ravel()], np.float64)
    return MarkerGeometry(kind, scale, points)


def shown_entities(layout: Layout) -> list[Entity]:
    """Return the entities that have shapes and a pose."""
    return [e for e in layout.of_kind(*SHOWN) if e.shapes and layout.has(e.name, "pose")]


def shape_markers(
    entities: Sequence[Entity],
    time_ns: int,
    colours: Mapping[str, Sequence[float]] | None = None,
) -> Any:
    """``visualization_msgs/MarkerArray`` with all shapes, which viewers move with the frames on ``/tf``.

    Args:
        entities: entities with shapes.
        time_ns: simulated time.
        colours: colour of all shapes of an entity, by its name; other shapes keep their own.
    """
    found = colours or {}
    markers = [
        _shape(entity, number, entity.name, stamp(time_ns), shape.pose, found.get(entity.name))
        for entity in entities
        for number, shape in enumerate(entity.shapes)
    ]
    return message(MARKERS.type, markers=markers)


def _shape(
    entity: Entity,
    number: int,
    frame: str,
    stamp_message: Any,
    pose: Sequence[float] | Floats,
    colour: Sequence[float] | None = None,
) -> Any:
    shape = entity.shapes[number]
    geometry = marker_geometry(shape)
    return marker(
        frame,
        stamp_message,
        ns=entity.name,
        id=number,
        type=geometry.type,
        pose=pose_message(pose),
        scale=vector_message(geometry.scale),
        color=colour_message(shape.rgba if colour is None else colour),
        points=[point_message(row) for row in geometry.points.tolist()],
    )


def owner_marker(time_ns: int, entity: str, owner: str | None) -> Any:
    """``visualization_msgs/MarkerArray`` with a label above an object: its name and the owner of its pose.

    Args:
        time_ns: simulated time.
        entity: the object.
        owner: the model; None removes the label.
    """
    label = _label(entity, owner, entity, stamp(time_ns), _defaults().above)
    return message(MARKERS.type, markers=[label])


def _label(entity: str, owner: str | None, frame: str, stamp_message: Any, pose: Any) -> Any:
    defaults = _defaults()
    return marker(
        frame,
        stamp_message,
        ns=f"{entity} owner",
        id=0,
        type=_TEXT,
        action=DELETE if owner is None else ADD,
        pose=pose,
        scale=defaults.letters,
        color=defaults.white,
        text="" if owner is None else f"{entity}: {owner}",
    )


class _Clouds:
    """The particles of entities with a pose, one list of spheres for each."""

    def __init__(self, layout: Layout) -> None:
        self.slots = [
            slot
            for slot in layout.slots
            if slot.attribute.meaning is Meaning.PARTICLES and layout.has(slot.entity, "pose")
        ]

    def present(self, values: Floats) -> list[Floats]:
        """The existing particles of each entity."""
        return [particles(part) for part in self._parts(values)]

    def content(self, values: Floats) -> list[bytes]:
        """The bytes of all particles in the values."""
        return [part.tobytes() for part in self._parts(values)]

    def _parts(self, values: Floats) -> list[Floats]:
        return [values[slot.offset : slot.offset + slot.attribute.size] for slot in self.slots]

    @staticmethod
    def numbers(rows: Floats) -> list[Floats]:
        """Values of the blanks of a list."""
        return [np.full(3, 2 * float(rows[0, 6])), rows[:, :3].ravel()] if len(rows) else []

    @staticmethod
    def marker(
        slot: Slot,
        count: int,
        frame: str,
        blanks: Blanks,
        pose: Sequence[float] | Floats = _IDENTITY,
    ) -> Any:
        """A list of `count` spheres; an empty list is deleted, because RViz rejects a list without points."""
        size = blanks.numbers(3) if count else np.zeros(3)
        points = blanks.numbers(3 * count).reshape(-1, 3) if count else ()
        return marker(
            frame,
            blanks.stamp,
            ns=f"{slot.entity} {slot.attribute.name}",
            id=0,
            type=_SPHERE_LIST,
            action=ADD if count else DELETE,
            pose=pose_message(pose),
            scale=vector_message(size),
            color=colour_message(PARTICLE_RGBA),
            points=[point_message(point) for point in points],
        )


class ParticleMessages:
    """``visualization_msgs/MarkerArray`` with the particles of a scene, in the frames of their entities.

    Args:
        layout: the scene's layout.
    """

    def __init__(self, layout: Layout) -> None:
        self._clouds = _Clouds(layout)
        self._templates = lru_cache(_MAX_TEMPLATES)(partial(_particle_template, self._clouds))
        self._last_content: list[bytes] = []

    @property
    def empty(self) -> bool:
        """Whether the scene has no attribute of particles."""
        return not self._clouds.slots

    def changed(self, values: Floats) -> bool:
        """Whether a particle differs, to the bit, from that in the last message."""
        return self._clouds.content(values) != self._last_content

    def fill(self, time_ns: int, values: Floats) -> memoryview:
        """Put the numbers from all values of the scene into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        found = self._clouds.present(values)
        self._last_content = self._clouds.content(values)
        numbers = [part for rows in found for part in _Clouds.numbers(rows)]
        return self._templates(tuple(map(len, found))).fill(time_ns, *numbers)


def _particle_template(clouds: _Clouds, counts: tuple[int, ...]) -> CdrTemplate:
    def make(blanks: Blanks) -> object:
        found = zip(clouds.slots, counts, strict=True)
        lists = [_Clouds.marker(slot, count, slot.entity, blanks) for slot, count in found]
        return message(PARTICLES.type, markers=lists)

    return CdrTemplate(PARTICLES.type, make)


class WorldMarkers:
    """``visualization_msgs/MarkerArray`` with all shapes and particles in the world frame, for RViz without ``/tf``.

    Objects of another model than the main one have a label with the model's name.

    Args:
        layout: the scene's layout.
        main: name of the main model; empty if there is none.
    """

    def __init__(self, layout: Layout, main: str = "") -> None:
        self._main = main
        self._entities = shown_entities(layout)
        self._clouds = _Clouds(layout)
        objects = layout.of_kind(EntityKind.OBJECT)
        self._objects = [entity.name for entity in objects if layout.has(entity.name, "pose")]
        self._labelled: set[str] = set()
        self._templates = lru_cache(_MAX_TEMPLATES)(self._template)

    def fill(self, scene: Snapshot) -> memoryview:
        """Put the numbers into the message.

        Returns:
            The serialized message, valid until the next call.
        """
        labels, clouds = tuple(self._labels(scene)), self._clouds.present(scene.values)
        numbers = [
            _in_world(scene.pose(entity.name).tolist(), shape)
            for entity in self._entities
            for shape in entity.shapes
        ]
        for slot, rows in zip(self._clouds.slots, clouds, strict=True):
            numbers += [scene.pose(slot.entity)[:7], *_Clouds.numbers(rows)]
        numbers += [scene.pose(name)[:3] + _LABEL_OFFSET for name, _ in labels]
        return self._templates(tuple(map(len, clouds)), labels).fill(scene.time_ns, *numbers)

    def _labels(self, scene: Snapshot) -> Iterator[tuple[str, str | None]]:
        """Objects of other models than the main one, with their owners; and None for those that have just returned."""
        for name in self._objects:
            owner = scene.owner(name, "pose")
            if self._main and owner != self._main:
                self._labelled.add(name)
                yield name, owner
            elif name in self._labelled:
                self._labelled.remove(name)
                yield name, None

    def _template(
        self, counts: tuple[int, ...], labels: tuple[tuple[str, str | None], ...]
    ) -> CdrTemplate:
        def make(blanks: Blanks) -> object:
            markers = [
                _shape(entity, number, WORLD, blanks.stamp, blanks.numbers(7))
                for entity in self._entities
                for number in range(len(entity.shapes))
            ]
            for slot, count in zip(self._clouds.slots, counts, strict=True):
                pose = blanks.numbers(7)
                markers.append(_Clouds.marker(slot, count, WORLD, blanks, pose))
            for name, owner in labels:
                pose = pose_message([*blanks.numbers(3), *_IDENTITY[3:]])
                markers.append(_label(name, owner, WORLD, blanks.stamp, pose))
            return message(MARKERS.type, markers=markers)

        return CdrTemplate(MARKERS.type, make)


def _in_world(body: list[float], shape: Shape) -> Floats:
    """(7,) pose of a body's shape in the world."""
    rotation = body[3:7]
    position = np.add(body[:3], rotate(rotation, shape.pose[:3]))
    return np.array([*position, *multiply(rotation, shape.pose[3:7])])


def marker(frame: str, stamp_message: Any, **fields: Any) -> Any:
    """``visualization_msgs/Marker`` with these fields; it moves with its frame, unless that is the world."""
    marker_fields = {"frame_locked": frame != WORLD, **fields}
    return message(
        "visualization_msgs/msg/Marker",
        header=message("std_msgs/msg/Header", stamp=stamp_message, frame_id=frame),
        **{**_defaults().fields, **marker_fields},
    )


class _Defaults(NamedTuple):
    """Parts that most markers share.

    Attributes:
        fields: default fields of a marker.
        above: the pose of a label in the frame of its object.
        letters: the size of a label.
        white: its colour.
    """

    fields: Mapping[str, Any]
    above: Any
    letters: Any
    white: Any


@cache
def _defaults() -> _Defaults:
    nothing = np.empty(0, np.uint8)
    texture = {"header": header(0), "format": "", "data": nothing}
    fields = {
        "action": ADD,
        "pose": pose_message(_IDENTITY),
        "lifetime": message("builtin_interfaces/msg/Duration", sec=0, nanosec=0),
        "points": [],
        "colors": [],
        "texture_resource": "",
        "texture": message("sensor_msgs/msg/CompressedImage", **texture),
        "uv_coordinates": [],
        "text": "",
        "mesh_resource": "",
        "mesh_file": message("visualization_msgs/msg/MeshFile", filename="", data=nothing),
        "mesh_use_embedded_materials": False,
    }
    above = pose_message([*_LABEL_OFFSET, *_IDENTITY[3:]])
    letters = vector_message((0.0, 0.0, LABEL_HEIGHT))
    return _Defaults(fields, above, letters, colour_message(_WHITE))
