"""Scenarios that say only what is different: ``extends: other.yaml``, or the name of one of hetwin's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import perhaps
from hetwin_core.ensemble.resources import names_of, resource
from hetwin_core.ensemble.scenario import strict_yaml
from hetwin_core.ensemble.scenario.strict_yaml import Document

KEY = "extends"
FOLDER = "scenarios"
MERGED = (
    *("models", "entities", "hands", "evaluators", "expects", "variants"),
    *("uncertainty", "outcomes"),
)
"""Keys whose entries are merged by name; any other key replaces the base's."""
MAX_CHAIN = 8


def load_with_base(path: Path) -> Document:
    """Read a scenario file and what it extends.

    A key replaces the base's key of the same name; the entries of the keys in `MERGED` replace the base's entries of
    the same name, and an entry that is null leaves the base's out.

    Raises:
        BadInput: if a file cannot be read, or the files extend each other in a circle.
    """
    return _load(path, ())


def _load(path: Path, chain: tuple[Path, ...]) -> Document:
    document = strict_yaml.load(path)
    if not (isinstance(document.data, dict) and KEY in document.data):
        return document
    name = document.data.pop(KEY)
    where = f"line {document.line_of((KEY,))}, {KEY}"
    shipped = names_of(FOLDER, ".yaml")
    base_path = _base(name, path.parent, shipped)
    if base_path is None:
        raise BadInput(
            "no such scenario to extend",
            file=path,
            where=where,
            found=name,
            expected="a scenario file, relative to this one, or the name of one of hetwin's"
            + perhaps(str(name), shipped),
        )
    if base_path in chain or len(chain) >= MAX_CHAIN:
        shown = " -> ".join(p.name for p in (*chain, path.resolve(), base_path))
        raise BadInput(
            "scenarios extend each other in a circle", file=path, where=where, found=shown
        )
    base = _load(base_path, (*chain, path.resolve()))
    if not isinstance(base.data, dict):
        return base
    return document.over(base, base_path, _merged(base.data, document.data))


def _base(name: object, folder: Path, shipped: Sequence[str]) -> Path | None:
    """The file that is extended; None if there is none."""
    if not isinstance(name, str):
        return None
    if (folder / name).is_file():
        return (folder / name).resolve()
    return resource(FOLDER, f"{name}.yaml") if name in shipped else None


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = {**base, **own}
    for key in MERGED:
        if isinstance(base.get(key), dict) and isinstance(own.get(key), dict):
            entries = {**base[key], **own[key]}
            merged[key] = {name: entry for name, entry in entries.items() if entry is not None}
    return merged
