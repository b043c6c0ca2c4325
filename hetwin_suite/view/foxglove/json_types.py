"""Types of ROS messages as JSON schemas, and messages as JSON, with the names and fields that ROS has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from rosbags.interfaces import Nodetype

from hetwin_core.projection.messages import typestore

Schema = dict[str, Any]
"""A JSON schema."""

_WORDS = {"string": "string", "bool": "boolean", "float32": "number", "float64": "number"}


def message_schema(typename: str) -> Schema:
    """Return the schema of a message, e.g. of ``hetwin/msg/Event``.

    Raises:
        KeyError: if a log has no such type.
    """
    return definition_schema(typename, typestore().fielddefs)


def definition_schema(typename: str, definitions: Mapping[str, Any]) -> Schema:
    """Return the schema of a type, from the definitions of it and of the types that it has.

    Args:
        typename: as the definitions name it.
        definitions: by type, as the bags' library has them.
    """
    _, parts = definitions[typename]
    properties = {name: _field(kind, definitions) for name, kind in parts}
    return {"type": "object", "title": typename, "properties": properties}


def as_json(value: Any) -> Any:
    """Return a message, or a part of one, as JSON has it."""
    if is_dataclass(value):
        parts = (f.name for f in fields(value) if not f.name.startswith("_"))
        return {name: as_json(getattr(value, name)) for name in parts}
    if isinstance(value, np.ndarray):
        return value.tolist()
    return [as_json(item) for item in value] if isinstance(value, list | tuple) else value


def _field(kind: Any, definitions: Mapping[str, Any]) -> Schema:
    node, content = kind
    if node is Nodetype.NAME:
        return definition_schema(content, definitions)
    if node is Nodetype.BASE:
        return {"type": _WORDS.get(content[0], "integer")}
    return {"type": "array", "items": _field(content[0], definitions)}
