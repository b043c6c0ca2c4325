"""How names and paths are shown in messages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

MOST_NAMED = 8


def listed(names: Sequence[str], most: int = MOST_NAMED) -> str:
    """Names separated by commas, the first of them if there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def near(path: Path) -> str:
    """A path relative to the working directory if it is below, else as it is."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}{'' if number == 1 else 's'}"
