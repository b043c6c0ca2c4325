"""Text files that commands read and write."""

from __future__ import annotations

from pathlib import Path

from hetwin_core.ensemble.errors import BadInput


def lines_of(file: Path, expected: str) -> list[str]:
    """Return the lines of a text file, with their ends.

    Args:
        file: that is read.
        expected: what it should hold, for the error.

    Raises:
        BadInput: if it cannot be read.
    """
    try:
        with file.open(encoding="utf-8-sig", newline="") as text:
            return list(text)
    except OSError as error:
        why = f"the file cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        why = "this is no text"
    raise BadInput(why, file=file, expected=expected) from None
