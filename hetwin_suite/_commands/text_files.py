"""Text files that commands read and write."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import read_text
from hetwin_core.ensemble.writing import unwritable, writing


def lines_of(file: Path, expected: str) -> list[str]:
    """Return the lines of a text file, with their ends.

    Args:
        file: that is read.
        expected: content, for the error.

    Raises:
        BadInput: if it cannot be read.
    """
    try:
        return list(io.StringIO(read_text(file, encoding="utf-8-sig"), newline=""))
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
    with writing("the file", out, "--out"):
        out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir():
        raise unwritable("the file", out, errno.EISDIR, "--out")
    if not os.access(out.parent, os.W_OK):
        raise unwritable("the file", out, errno.EACCES, "--out")
