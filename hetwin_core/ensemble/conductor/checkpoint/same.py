"""Whether a checkpoint is of a run that was given the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.errors import BadInput

_FREE = ("duration", "source")
"""What may be another: when it ends, and what it goes on with."""
_WORDS = {
    "version": "hetwin",
    "engine": "the engine",
    "scenario": "the scenario",
    "files": "a file",
    "scene": "the initial scene",
}


def check_same(saved: Mapping[str, Any], now: Mapping[str, Any], *, new_source: bool) -> None:
    """Check that a run is given what a saved one was given.

    Args:
        saved, now: see `given.run_given`.
        new_source: whether it goes on with another source.

    Raises:
        BadInput: if something is another; the first such key is named.
    """
    for key in ("version", "engine", *saved):
        if key in _FREE:
            continue
        one, other = saved.get(key), now.get(key)
        if key == "files" and new_source:
            one, other = _without_sources(one), _without_sources(other)
        if one != other:
            raise _differs(key, one, other)


def _without_sources(files: Any) -> dict[str, Any]:
    return {name: digest for name, digest in (files or {}).items() if not name.startswith("source")}


def _differs(key: str, saved: Any, now: Any) -> BadInput:
    where = key
    while isinstance(saved, Mapping) and isinstance(now, Mapping):
        names = [*saved, *(name for name in now if name not in saved)]
        name = next(name for name in names if saved.get(name) != now.get(name))
        where, saved, now = f"{where}.{name}", saved.get(name), now.get(name)
    return BadInput(
        f"the checkpoint is of another run: {_WORDS.get(key, key)} has changed since",
        where=where,
        found=now,
        expected=f"{saved!r}, as it was when the checkpoint was taken",
    )
