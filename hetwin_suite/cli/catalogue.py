"""What there is to write a scenario with, as rows of a table or as JSON."""

from __future__ import annotations

import inspect
from typing import Any

from hetwin_core.ensemble.catalogue import model_class, model_types
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators


def model_rows() -> list[dict[str, Any]]:
    """What each installed model type declares; of one that cannot be used, why."""
    return [_model_row(name) for name in model_types()]


def evaluator_rows() -> dict[str, str]:
    """The docstring of each evaluator, by name."""
    return {name: inspect.getdoc(f) or "" for name, f in sorted(all_evaluators().items())}


def _model_row(name: str) -> dict[str, Any]:
    row: dict[str, Any] = {"type": name, "kind": "?", "stepping": "?", "rate": 0.0}
    try:
        cls = model_class(name)
    except BadInput as error:
        return {**row, "provides": [], "parameters": [], "summary": f"cannot be used: {error}"}
    description = cls.describe()
    return {
        "type": name,
        "kind": description.kind.value,
        "stepping": description.stepping.value,
        "rate": description.rate,
        "provides": [spec.name for spec in description.provides],
        "parameters": [
            {
                "name": request.name,
                "kind": request.kind.value,
                "required": request.required,
                "default": request.default,
                "unit": request.unit,
                "description": request.description,
            }
            for request in cls().parameters()
        ],
        "summary": description.summary,
    }
