"""Writes docs/reference/scenario.md, every key of a scenario, from the schema that checks it.

Usage: make_scenario_page.py; a test holds the page and the schema equal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.scenario.schema import ScenarioFile

PAGE = Path(__file__).resolve().parent / "reference" / "scenario.md"
INTRODUCTION = """\
# Keys of a scenario

Every key of a [scenario](../scenarios.md), as `hetwin list schema` prints it for editors. This page is written by
`docs/make_scenario_page.py` from the classes that check the file. A key without a default is required, or
may be left out where the schema allows null.
"""
REFERENCE = "#/$defs/"


def page() -> str:
    """Return the whole page."""
    schema = ScenarioFile.model_json_schema()
    kinds = schema["$defs"]
    shown = sorted(name for name, kind in kinds.items() if kind.get("properties"))
    parts = [INTRODUCTION, _table("Scenario", schema, kinds)]
    return "\n".join([*parts, *(_table(name, kinds[name], kinds) for name in shown)])


def _table(name: str, kind: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    about = str(kind.get("description", "")).partition("\n\n")[0].replace("\n", " ")
    about = f"{about}\n\n" if about and name != "Scenario" else ""
    required = kind.get("required", ())
    rows = "".join(_rows(kind["properties"], required, kinds))
    return f"## {name}\n\n{about}| key | takes | default | meaning |\n|---|---|---|---|\n{rows}"


def _rows(
    properties: Mapping[str, Any], required: list[str], kinds: Mapping[str, Any]
) -> Iterator[str]:
    for key, value in properties.items():
        default = value.get("default")
        shown = "" if key in required or default is None else f"`{json.dumps(default)}`"
        about = str(value.get("description", "")).replace("\n", " ")
        cells = (f"`{key}`", _kind(value, kinds), shown, about)
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |\n".replace(
            "  ", " "
        )


def _kind(value: Mapping[str, Any], kinds: Mapping[str, Any]) -> str:
    """Return what a key takes, in words, with links to the tables of mappings."""
    if "$ref" in value:
        name = value["$ref"].removeprefix(REFERENCE)
        linked = bool(kinds[name].get("properties"))
        return f"[{name}](#{name.lower()})" if linked else _kind(kinds[name], kinds)
    if "enum" in value or "const" in value:
        choices = value.get("enum", [value.get("const")])
        return " or ".join(f"`{choice}`" for choice in choices)
    for several in ("anyOf", "oneOf"):
        if several in value:
            found = [_kind(one, kinds) for one in value[several] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(found))
    if value.get("type") == "array":
        return f"list of {_kind(value['items'], kinds)}" if "items" in value else "list"
    if value.get("type") == "object":
        each = value.get("additionalProperties")
        return f"mapping to {_kind(each, kinds)}" if isinstance(each, dict) else "mapping"
    return str(value.get("type", "any"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
