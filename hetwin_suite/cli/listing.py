"""`hetwin models`, `hetwin evaluators`, `hetwin schema`: what there is to write a scenario with."""

from __future__ import annotations

import inspect
import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hetwin_core.ensemble.catalogue import model_class, model_types
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.scenario.schema import json_schema

AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]


def models(as_json: AsJson = False) -> None:
    """List the model types that are installed.

    Example: hetwin models
    """
    rows = [_model_row(name) for name in model_types()]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table("type", "kind", "steps", "rate", "responsible for", "what it is")
    for row in rows:
        rate = "as main" if row["rate"] is None else f"{row['rate']:g}"
        provides = ", ".join(str(name) for name in row["provides"])
        table.add_row(row["type"], row["kind"], row["stepping"], rate, provides, row["summary"])
    Console().print(table)


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


def evaluators(as_json: AsJson = False) -> None:
    """List the functions that expressions in scenarios may call.

    Example: hetwin evaluators
    """
    rows = {name: inspect.getdoc(f) or "" for name, f in sorted(all_evaluators().items())}
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    table = Table("evaluator", "what it gives")
    for name, text in rows.items():
        table.add_row(name, text.partition("\n\n")[0].replace("\n", " "))
    Console().print(table)


def schema() -> None:
    """Print the JSON Schema of scenario files, for editors that complete YAML.

    Example: hetwin schema > scenario.schema.json
    """
    print(json.dumps(json_schema(), indent=2))
