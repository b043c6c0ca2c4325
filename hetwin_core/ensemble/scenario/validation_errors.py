"""Complaints about a scenario file, in words, with file, line and key."""

from __future__ import annotations

import difflib
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario import schema
from hetwin_core.ensemble.scenario.strict_yaml import Document
from hetwin_core.ensemble.triggers import schema as trigger_schema

_MISFIT = {"extra_forbidden": 1, "missing": 1, "string_type": 10, "model_type": 10, "dict_type": 10}
"""Kinds of complaints that say that an alternative was not meant, and how clearly."""
_SHOULD = {"Value error, ": "", "Input should be ": "", "List should have ": "a list of "}


def readable(error: ValidationError, data: dict[str, Any]) -> BadInput:
    """The most telling of pydantic's complaints, in our words."""
    complaints = error.errors(include_url=False)
    misfits: Counter[tuple[str | int, ...]] = Counter()
    for c in complaints:
        misfits[_alternative(c["loc"], data)] += _MISFIT.get(c["type"], 0)
    complaint = max(
        complaints,
        key=lambda c: (-misfits[_alternative(c["loc"], data)], len(_keys(c["loc"], data))),
    )
    where = _keys(complaint["loc"], data)
    if complaint["type"] == "extra_forbidden":
        key = str(where[-1])
        known = _known_keys(complaint["loc"])
        close = difflib.get_close_matches(key, known, 1)
        expected = f"{close[0]!r} perhaps" if close else "one of " + ", ".join(sorted(known))
        return BadInput("unknown key", where=_dotted(where), found=key, expected=expected)
    if complaint["type"] == "missing":
        missing = complaint["loc"][-1]
        where = [*where, missing]
        return BadInput(
            "a key is missing", where=_dotted(where), expected=f"a value for {missing!r}"
        )
    found = complaint.get("input")
    shown = found if not isinstance(found, dict | list) or len(str(found)) < 120 else None
    return BadInput(
        "this value cannot be used",
        where=_dotted(where),
        found=shown,
        expected=_expectation(complaint["msg"]),
    )


def _expectation(message: str) -> str:
    """What pydantic's message, or one of the schema's own, says that should be."""
    for begin, words in _SHOULD.items():
        if message.startswith(begin):
            return words + message.removeprefix(begin).partition(" after validation")[0]
    if message.startswith("String should match"):
        return "a name: letters, digits and underscores, and no digit at its beginning"
    return message


def _keys(location: tuple[str | int, ...], data: Any) -> list[str | int]:
    """The parts of pydantic's location that stand in the file; the others name the types that it tried."""
    keys: list[str | int] = []
    for part in location:
        is_index = isinstance(part, int) and isinstance(data, list) and part < len(data)
        if is_index or (isinstance(data, dict) and part in data):
            data = data[part]
            keys.append(part)
    return keys


def _alternative(location: tuple[str | int, ...], data: Any) -> tuple[str | int, ...]:
    """Where several types are possible, and which of them pydantic tried; empty if there is but one."""
    keys = _keys(location, data)
    tried = [part for part in location if part not in keys]
    return (*keys, tried[0]) if tried else ()


def _known_keys(location: tuple[str | int, ...]) -> list[str]:
    holder: Any = schema.ScenarioFile
    for part in location[:-1]:
        for module in (schema, trigger_schema):
            if isinstance(part, str) and isinstance(getattr(module, part, None), type):
                holder = getattr(module, part)
    names = {
        "models": schema.ModelEntry,
        "hands": schema.Hand,
        "entities": schema.EntityNotes,
        "robot": schema.Robot,
        "responsibilities": schema.ResponsibilityEntry,
        "log": schema.LogEntry,
        "triggers": trigger_schema.TriggerEntry,
    }
    if holder is schema.ScenarioFile and len(location) > 1:
        holder = names.get(str(location[0]), schema.ScenarioFile)
    return [f.alias or n for n, f in holder.model_fields.items()]


def _dotted(parts: list[str | int]) -> str:
    return ".".join(str(p) for p in parts)


def placed(error: BadInput, document: Document, path: Path) -> BadInput:
    """The same error with file and line."""
    where, file = error.where, path
    if where and error.file is None:
        parts = tuple(int(p) if p.isdigit() else p for p in where.split("."))
        line, file = document.line_of(parts), document.file_of(parts, path)
        where = f"line {line}, {where}" if line else where
    return BadInput(
        error.problem,
        file=error.file or file,
        where=where,
        found=error.found,
        expected=error.expected,
    )
