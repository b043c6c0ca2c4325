"""How numbers and paths are shown in messages."""

from __future__ import annotations

from pathlib import Path


def near(path: Path) -> str:
    """A path relative to the working directory if it is below, else as it is."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def counted(number: int, what: str) -> str:
    """A number of things."""
    return f"{number} {what}{'' if number == 1 else 's'}"
