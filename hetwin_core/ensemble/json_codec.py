"""Encodes errors, and the messages of models and conductor at the start of a run, as JSON text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from pydantic import Field

from hetwin_core.ensemble.errors import (
    BadInput,
    HetwinError,
    Refused,
    RunFailed,
    error_with_location,
)
from hetwin_core.ensemble.model import AttributeStart, Contribution, MainContribution
from hetwin_core.ensemble.scene.layout import (
    EntityKind,
    Selection,
    entity_from_json,
    entity_to_json,
)
from hetwin_core.ensemble.scene.values import WORLD, AttributeSpec, Meaning, ShapeKind, Value
from hetwin_core.ensemble.scene.watch import WatchLayout
from hetwin_core.ensemble.validation import Strict, check

_MAIN_FIELDS = ("duration_ns", "robot_description", "engine", "shown", "robot_descriptions")


def contribution_to_text(contribution: Contribution) -> str:
    """A contribution as JSON; numbers keep every bit (shortest decimal form that reads back the same)."""
    data: dict[str, Any] = {
        "entities": [entity_to_json(e) for e in contribution.entities],
        "attributes": [_start_to_json(start) for start in contribution.attributes],
        "reads": [list(selection) for selection in contribution.reads],
        "warnings": list(contribution.warnings),
        "reproducible": contribution.reproducible,
    }
    if isinstance(contribution, MainContribution):
        watch = contribution.watch
        data |= {name: getattr(contribution, name) for name in _MAIN_FIELDS}
        data["watch"] = None if watch is None else watch.to_json()
    return json.dumps(data)


class _Shape(Strict):
    kind: ShapeKind
    size: list[float] = Field([])
    pose: list[float] = Field([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    rgba: list[float] = Field([0.7, 0.7, 0.7, 1.0])
    collides: bool = True
    vertices: str | None = None
    faces: str | None = None


class _Entity(Strict):
    name: str
    kind: EntityKind
    tags: list[str] = Field([])
    owner: str = ""
    parent: str = ""
    joint: str = ""
    joints: list[str] = Field([])
    mass: float = 0.0
    shapes: list[_Shape] = Field([])
    scanner: dict[str, Any] | None = None


class _Start(Strict):
    entity: str
    attribute: str
    data: list[float]
    size: int | None = None
    unit: str = ""
    meaning: Meaning = Meaning.QUANTITY
    time_ns: int = 0
    parent: str = WORLD


class _Contribution(Strict):
    entities: list[_Entity] = Field([])
    attributes: list[_Start] = Field([])
    reads: list[tuple[str, str]] = Field([("*", "*")])
    warnings: list[str] = Field([])
    reproducible: bool = True


class _MainContribution(_Contribution):
    duration_ns: int | None = None
    robot_description: str = ""
    engine: str = ""
    shown: dict[str, str] = Field({})
    robot_descriptions: dict[str, str] = Field({})
    watch: dict[str, Any] | None = None


def contribution_from_text(text: str) -> Contribution:
    """Inverse of `contribution_to_text`; every key may be absent, and an empty text is an empty contribution.

    Raises:
        BadInput: naming a key that is missing, unknown or of another type.
    """
    try:
        data = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise BadInput(f"this is not JSON: {error}", found=text[:80]) from None
    is_main = isinstance(data, dict) and not data.keys().isdisjoint((*_MAIN_FIELDS, "watch"))
    content = check(_MainContribution if is_main else _Contribution, data)
    fields: dict[str, Any] = {
        "entities": [entity_from_json(e.model_dump(exclude_none=True)) for e in content.entities],
        "attributes": [_start_from_json(start) for start in content.attributes],
        "reads": [Selection(*pair) for pair in content.reads],
        "warnings": content.warnings,
        "reproducible": content.reproducible,
    }
    if not isinstance(content, _MainContribution):
        return Contribution(**fields)
    fields |= {name: getattr(content, name) for name in _MAIN_FIELDS}
    watch = None if content.watch is None else WatchLayout.from_json(content.watch)
    return MainContribution(**fields, watch=watch)


def _start_to_json(start: AttributeStart) -> dict[str, Any]:
    spec, value = start.attribute, start.value
    return {
        "entity": start.entity,
        "attribute": spec.name,
        "size": spec.size,
        "unit": spec.unit,
        "meaning": spec.meaning.value,
        "data": value.data.tolist(),
        "time_ns": value.time_ns,
        "parent": value.parent,
    }


def _start_from_json(start: _Start) -> AttributeStart:
    size = len(start.data) if start.size is None else start.size
    spec = AttributeSpec(start.attribute, size, start.unit, start.meaning)
    value = Value(np.array(start.data, np.float64), start.time_ns, start.parent)
    return AttributeStart(start.entity, spec, value)


def error_to_text(error: BaseException) -> str:
    """An error as JSON, so that the other process can raise it."""
    if isinstance(error, BadInput):
        found = error.found if isinstance(error.found, str | int | float) else repr(error.found)
        data = {
            "kind": "bad_input",
            "problem": error.problem,
            "file": error.file,
            "where": error.where,
            "found": None if error.found is None else found,
            "expected": error.expected,
        }
    elif isinstance(error, Refused):
        data = {"kind": "refused", "text": str(error)}
    elif isinstance(error, RunFailed):
        data = {
            "kind": "failed",
            "model": error.model,
            "call": error.call,
            "time_ns": error.time_ns,
            "reason": error.reason,
        }
    else:
        data = {"kind": "raised", "text": error_with_location(error)}
    return json.dumps(data)


def error_from_text(text: str, model: str, call: str, time_ns: int) -> HetwinError:
    """Inverse of `error_to_text`; other exceptions, and plain text, become a failure of the model."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        data = None
    if not isinstance(data, dict):
        return RunFailed(model, call, time_ns, text)
    match data.get("kind"):
        case "bad_input":
            keys = ("file", "where", "found", "expected")
            return BadInput(data.get("problem", text), **{key: data.get(key) for key in keys})
        case "refused":
            return Refused(data.get("text", text))
        case "failed":
            failed = data.get("model", model), data.get("call", call), data.get("time_ns", time_ns)
            return RunFailed(*failed, data.get("reason", text))
    return RunFailed(model, call, time_ns, data.get("text", text))
