"""A terminal that may go away while a command goes on."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from typing import Any, TextIO


class Terminal(io.FileIO):
    """A terminal; what is written to it once it is gone is dropped."""

    def write(self, data: Any, /) -> int:
        """Write, and return how many bytes there were."""
        try:
            return super().write(data) or 0
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return len(data)


def outlive_the_terminal() -> None:
    """Let this process go on if the terminal that it writes to goes away."""
    sys.stdout, sys.stderr = _outliving(sys.stdout), _outliving(sys.stderr)


def _outliving(stream: TextIO) -> TextIO:
    try:
        may_go = stat.S_ISCHR(os.fstat(stream.fileno()).st_mode)  # one that is gone is no terminal
    except (OSError, ValueError):
        return stream
    if not may_go:
        return stream
    raw = Terminal(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=stream.encoding, errors=stream.errors, line_buffering=True
    )
