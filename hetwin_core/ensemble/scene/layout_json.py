"""The scene's layout as JSON, as the registry carries it."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout, Slot
from hetwin_core.ensemble.scene.scans import ScanPattern
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning


def layout_to_json(layout: Layout) -> dict[str, Any]:
    """Everything about a layout as plain JSON.

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
