"""Writes docs/reference/models.md, the table of all model types that hetwin ships, from what they declare.

Usage: make_models_page.py; a test holds the page and the models equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.installed import MODELS, install_command
from hetwin_suite.cli.catalogue import (
    AttributeRow,
    ModelRow,
    ParameterRow,
    attribute_text,
    default_text,
    model_row,
    stepping_text,
)

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "reference" / "models.md"
ROOT = DOCS.parent

INTRODUCTION = """\
# Models

The model types that hetwin ships, as `hetwin list models TYPE` shows them. This page is written by
`docs/make_models_page.py` from what the models declare. What a plugin has names the extra that installs it. A
parameter without a default is required. Lengths, times and angles are in the unit that is given; of a hand, an entity
or entities a scenario gives the names, and of a path a file relative to the scenario.
"""
SCHEMA = """\
## JSON

`hetwin list models TYPE --json` prints an object with these keys, `hetwin list models --json` a list of such objects,
and `hetwin list schema model` the JSON Schema of one.
"""


def shipped() -> list[str]:
    """Names of the model types that the pyproject.toml of the suite, its plugins and examples list."""
    import tomllib

    found: set[str] = set()
    beside = [
        file for where in ("plugins/*", "examples") for file in ROOT.glob(f"{where}/pyproject.toml")
    ]
    for file in (ROOT / "pyproject.toml", *beside):
        project: dict[str, Any] = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        found |= project.get("entry-points", {}).get("hetwin.models", {}).keys()
    return sorted(found)


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION, *(_model(model_row(name)) for name in shipped()), SCHEMA]
    tables = [_keys(kind) for kind in (ModelRow, ParameterRow, AttributeRow)]
    return "\n".join([*parts, "\n".join(tables)])


def _model(row: ModelRow) -> str:
    brought = f" From `{install_command(MODELS[row.type])}`." if row.type in MODELS else ""
    responsible = ", ".join(f"`{attribute_text(a)}`" for a in row.attributes) or "nothing"
    parts = [
        f"## {row.type}\n\n{row.summary}\n",
        f"Steps: {stepping_text(row)}; can be responsible for: {responsible}.{brought}\n",
    ]
    if row.parameters:
        cells = [
            (f"`{p.name}`", p.kind, p.unit, _code(default_text(p, json.dumps), p), p.description)
            for p in row.parameters
        ]
        parts.append(_table(("parameter", "kind", "unit", "default", "meaning"), cells))
    if row.raises:
        events = [(f"`{name}`", text) for name, text in row.raises.items()]
        parts.append(_table(("event", "what has happened: its arguments"), events))
    return "\n".join(parts)


def _code(text: str, row: ParameterRow) -> str:
    return text if row.required or row.default is None else f"`{text}`"


def _keys(kind: type[ModelRow | ParameterRow | AttributeRow]) -> str:
    schema = kind.model_json_schema()
    rows = [(f"`{name}`", field.description or "") for name, field in kind.model_fields.items()]
    return f"{schema['description']}\n\n" + _table(("key", "value"), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    shown = ("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines)
    return "\n".join(shown).replace("|  |", "| |") + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
