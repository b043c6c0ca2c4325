"""Text files that commands read and write."""

from __future__ import annotations

import os
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


def make_room_for(out: Path) -> None:
    """Make the folders that a file lies in, before the work begins whose result it will hold.

    Raises:
        BadInput: if a file cannot be written there.
    """
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(out, str(error.strerror)) from None
    if out.is_dir():
        raise _unwritable(out, "it is a folder")
    if not os.access(out.parent, os.W_OK):
        raise _unwritable(out, "its folder is write-protected")


def _unwritable(out: Path, why: str) -> BadInput:
    return BadInput(
        f"the file cannot be written: {why}",
        file=out,
        where="--out",
        expected="a file in a folder that can be written to",
    )
