"""Variants of a scenario: overrides by name, under ``variants:``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.scenario.strict_yaml import Document

KEY = "variants"
NEVER_OVERRIDDEN = ("scenario", "extends", KEY)
"""Keys that a variant may not give."""


def with_variant(document: Document, name: str | None, path: Path) -> Document:
    """Lay a variant over the scenario that has it.

    Mappings are merged, however deep; a list or a value replaces what was there; null leaves the key out.

    Args:
        document: the scenario, with what it extends.
        name: of the variant; None: the document is returned as it is.
        path: of the scenario, for the error.

    Raises:
        BadInput: if the scenario has no such variant; the ones that it has are named.
    """
    if name is None or not isinstance(document.data, dict):
        return document
    written = document.data.get(KEY)
    known: dict[str, Any] = written if isinstance(written, dict) else {}
    if name not in known:
        expected = (
            f"one of {', '.join(known)}{perhaps(name, list(known))}" if known else f"no {KEY} here"
        )
        raise BadInput(
            "the scenario has no such variant",
            file=path,
            where=KEY,
            found=name,
            expected=expected,
        )
    overrides = known[name]
    if not _overrides_something(overrides):  # which the scenario's check reports
        return document
    return document.raised((KEY, name), _merged(document.data, overrides))


def _overrides_something(overrides: object) -> bool:
    return isinstance(overrides, dict) and not any(key in overrides for key in NEVER_OVERRIDDEN)


def _merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict) and isinstance(merged.get(key), dict):
            merged[key] = _merged(merged[key], value)
        else:
            merged[key] = value
    return merged
