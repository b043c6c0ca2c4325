"""Encodes what models and the conductor exchange at the start of a run, and errors, as JSON text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput, HetwinError, Refused, RunFailed, raised_words
from hetwin_core.ensemble.model import AttributeStart, Contribution, MainContribution
from hetwin_core.ensemble.scene.layout import Selection, entity_from_json, entity_to_json
from hetwin_core.ensemble.scene.values import AttributeSpec, Meaning, Value
from hetwin_core.ensemble.scene.watch import WatchLayout

_OF_MAIN = ("duration_ns", "robot_description", "engine", "shown", "robot_descriptions")


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
        data |= {name: getattr(contribution, name) for name in _OF_MAIN}
        data["watch"] = None if watch is None else watch.to_json()
    return json.dumps(data)


def contribution_from_text(text: str) -> Contribution:
    """Inverse of `contribution_to_text`."""
    data = json.loads(text)
    read: dict[str, Any] = {
        "entities": [entity_from_json(e) for e in data.pop("entities")],
        "attributes": [_start_from_json(start) for start in data.pop("attributes")],
        "reads": [Selection(*pair) for pair in data.pop("reads")],
    }
    if "watch" not in data:
        return Contribution(**read, **data)
    watch = data.pop("watch")
    return MainContribution(
        **read, **data, watch=None if watch is None else WatchLayout.from_json(watch)
    )


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


def _start_from_json(data: dict[str, Any]) -> AttributeStart:
    spec = AttributeSpec(data["attribute"], data["size"], data["unit"], Meaning(data["meaning"]))
    value = Value(np.array(data["data"], np.float64), data["time_ns"], data["parent"])
    return AttributeStart(data["entity"], spec, value)


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
        data = {"kind": "raised", "text": raised_words(error)}
    return json.dumps(data)


def error_from_text(text: str, model: str, call: str, time_ns: int) -> HetwinError:
    """Inverse of `error_to_text`; an error that is not one of hetwin's is a failure of the model."""
    data = json.loads(text)
    kind = data.pop("kind")
    if kind == "bad_input":
        return BadInput(
            data["problem"],
            file=data["file"],
            where=data["where"],
            found=data["found"],
            expected=data["expected"],
        )
    if kind == "refused":
        return Refused(data["text"])
    if kind == "failed":
        return RunFailed(data["model"], data["call"], data["time_ns"], data["reason"])
    return RunFailed(model, call, time_ns, data["text"])
