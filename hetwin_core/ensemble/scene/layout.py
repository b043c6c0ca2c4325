"""The scene's layout: its entities, the position of each attribute in one flat array, and its JSON."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.values import AttributeSpec, Ints, Meaning, Shape, ShapeKind


class EntityKind(StrEnum):
    """Kind of an entity."""

    OBJECT = "object"
    """A body that moves freely."""
    STATIC = "static"
    """A body that never moves."""
    ROBOT = "robot"
    """A whole robot; carries the joint attributes."""
    LINK = "link"
    """A link of a robot, or of another articulated body."""
    HAND = "hand"
    """The grasp frame of a hand that the scenario names; fixed to a link."""
    CONCEPT = "concept"
    """An entity without a body, such as a battery."""


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity of the scene.

    Attributes:
        name: unique in the scene; also the name of its frame.
        kind: kind of the entity.
        tags: labels from the scenario, e.g. ``graspable``.
        owner: for links and hands, the robot's name; for others empty.
        parent: for links, the parent link; for hands, the link that they are fixed to.
        joint: for links, the joint between parent and link (empty if fixed).
        joints: for robots, the names of the joints, in the order of the joint attributes; for hands, the finger
            joints.
        mass: in kg, 0 if unknown or without meaning.
        shapes: geometry in the entity's frame, for display and for models that need it.
        scanner: for links with a laser scanner, geometry of its scans.
    """

    name: str
    kind: EntityKind
    tags: tuple[str, ...] = ()
    owner: str = ""
    parent: str = ""
    joint: str = ""
    joints: tuple[str, ...] = ()
    mass: float = 0.0
    shapes: tuple[Shape, ...] = ()
    scanner: ScanPattern | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """The position of one attribute of one entity in the flat array of values."""

    entity: str
    attribute: AttributeSpec
    offset: int


class Selection(NamedTuple):
    """Attributes chosen by patterns (``*`` and ``?`` as in file names)."""

    entity: str = "*"
    attribute: str = "*"


EVERYTHING: tuple[Selection, ...] = (Selection(),)
"""All attributes of all entities."""


@dataclass(frozen=True)
class Layout:
    """Entities and slots in a fixed order, the same for every model of a run.

    Attributes:
        unchanging: it is not part of a model's saved state.
        entities: all entities; an entity's id is its index here.
        slots: all attributes; a slot's id is its index here.
        size: total number of values.
    """

    unchanging: ClassVar[bool] = True
    entities: tuple[Entity, ...]
    slots: tuple[Slot, ...]
    size: int
    _slot_ids: dict[tuple[str, str], int] = field(init=False, repr=False, compare=False)
    _entity_ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        slot_ids = {(slot.entity, slot.attribute.name): i for i, slot in enumerate(self.slots)}
        object.__setattr__(self, "_slot_ids", slot_ids)
        object.__setattr__(self, "_entity_ids", {e.name: i for i, e in enumerate(self.entities)})

    @classmethod
    def build(
        cls, entities: Iterable[Entity], attributes: Iterable[tuple[str, AttributeSpec]]
    ) -> Layout:
        """Make a layout with the attributes one after the other, in the given order."""
        slots: list[Slot] = []
        offset = 0
        for entity, attribute in attributes:
            slots.append(Slot(entity, attribute, offset))
            offset += attribute.size
        return cls(tuple(entities), tuple(slots), offset)

    def slot_id(self, entity: str, attribute: str) -> int:
        """Index of a slot.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return self._slot_ids[entity, attribute]

    def find(self, entity: str, attribute: str) -> int | None:
        """Index of a slot; None if the scene has no such attribute."""
        return self._slot_ids.get((entity, attribute))

    def has(self, entity: str, attribute: str) -> bool:
        """Whether the scene has this attribute."""
        return (entity, attribute) in self._slot_ids

    def range_of(self, entity: str, attribute: str) -> slice:
        """The slice of the flat array that holds the attribute."""
        slot = self.slots[self._slot_ids[entity, attribute]]
        return slice(slot.offset, slot.offset + slot.attribute.size)

    def entity_id(self, name: str) -> int:
        """Index of an entity; -1 for the world or an unknown name."""
        return self._entity_ids.get(name, -1)

    def entity(self, name: str) -> Entity:
        """The entity of this name.

        Raises:
            KeyError: if there is none.
        """
        return self.entities[self._entity_ids[name]]

    def of_kind(self, *kinds: EntityKind) -> list[Entity]:
        """All entities of these kinds, in order."""
        return [entity for entity in self.entities if entity.kind in kinds]

    def select(self, selections: Sequence[Selection]) -> list[int]:
        """Ids of the slots that match any of the selections, in order."""
        return [
            i
            for i, slot in enumerate(self.slots)
            if any(
                fnmatchcase(slot.entity, s.entity) and fnmatchcase(slot.attribute.name, s.attribute)
                for s in selections
            )
        ]

    def indices(self, slot_ids: Sequence[int]) -> Ints:
        """Indices in the flat array of all numbers of these slots."""
        ranges = [
            np.arange(s.offset, s.offset + s.attribute.size, dtype=np.int32)
            for s in (self.slots[i] for i in slot_ids)
        ]
        return np.concatenate(ranges) if ranges else np.empty(0, np.int32)


def layout_to_json(layout: Layout) -> dict[str, Any]:
    """A layout as plain JSON.

    A mesh's vertices are base64 of float64 triples, its faces base64 of int32 triples, both little-endian.
    """
    return {
        "size": layout.size,
        "entities": [entity_to_json(entity) for entity in layout.entities],
        "slots": [
            {
                "entity": slot.entity,
                "attribute": slot.attribute.name,
                "offset": slot.offset,
                "size": slot.attribute.size,
                "unit": slot.attribute.unit,
                "meaning": slot.attribute.meaning.value,
            }
            for slot in layout.slots
        ],
    }


def layout_from_json(data: dict[str, Any]) -> Layout:
    """Inverse of `layout_to_json`.

    Raises:
        KeyError, TypeError, ValueError: if the data is not a layout.
    """
    slots = tuple(
        Slot(
            slot["entity"],
            AttributeSpec(slot["attribute"], slot["size"], slot["unit"], Meaning(slot["meaning"])),
            slot["offset"],
        )
        for slot in data["slots"]
    )
    return Layout(tuple(entity_from_json(e) for e in data["entities"]), slots, data["size"])


def entity_to_json(entity: Entity) -> dict[str, Any]:
    """An entity as plain JSON."""
    data: dict[str, Any] = {
        "name": entity.name,
        "kind": entity.kind.value,
        "tags": list(entity.tags),
        "owner": entity.owner,
        "parent": entity.parent,
        "joint": entity.joint,
        "joints": list(entity.joints),
        "mass": float(entity.mass),
        "shapes": [_shape_to_json(shape) for shape in entity.shapes],
    }
    if entity.scanner is not None:
        data["scanner"] = entity.scanner.to_json()
    return data


def entity_from_json(data: dict[str, Any]) -> Entity:
    """Inverse of `entity_to_json`."""
    return Entity(
        name=data["name"],
        kind=EntityKind(data["kind"]),
        tags=tuple(data["tags"]),
        owner=data["owner"],
        parent=data["parent"],
        joint=data["joint"],
        joints=tuple(data["joints"]),
        mass=data["mass"],
        shapes=tuple(_shape_from_json(shape) for shape in data["shapes"]),
        scanner=ScanPattern.from_json(data["scanner"]) if "scanner" in data else None,
    )


def _shape_to_json(shape: Shape) -> dict[str, Any]:
    data: dict[str, Any] = {
        "kind": shape.kind.value,
        "size": [float(x) for x in shape.size],
        "pose": [float(x) for x in shape.pose],
        "rgba": [float(x) for x in shape.rgba],
        "collides": bool(shape.collides),
    }
    if shape.vertices is not None:
        data["vertices"] = _pack(shape.vertices, "<f8")
    if shape.faces is not None:
        data["faces"] = _pack(shape.faces, "<i4")
    return data


def _shape_from_json(data: dict[str, Any]) -> Shape:
    r, g, b, a = data["rgba"]
    vertices, faces = data.get("vertices"), data.get("faces")
    return Shape(
        kind=ShapeKind(data["kind"]),
        size=tuple(data["size"]),
        pose=tuple(data["pose"]),
        rgba=(r, g, b, a),
        collides=data["collides"],
        vertices=None if vertices is None else _unpack(vertices, "<f8"),
        faces=None if faces is None else _unpack(faces, "<i4").astype(np.int32),
    )


def _pack(rows: Any, dtype: str) -> str:
    return base64.b64encode(np.ascontiguousarray(rows, dtype).tobytes()).decode("ascii")


def _unpack(text: str, dtype: str) -> Any:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype).reshape(-1, 3)
