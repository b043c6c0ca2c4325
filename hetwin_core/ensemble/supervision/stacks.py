"""Where another process hangs, from the stacks that `faulthandler` writes at a signal, even with Python's lock held."""

from __future__ import annotations

import os
import re
import select
import signal
from contextlib import suppress

FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
CALLER = "transport/local.py"
"""Where models are called; the thread with this in its stack is the one of interest."""
PATIENCE_S = 0.3
QUIET_S = 0.05


def where_it_hangs(pid: int | None, stacks: int, caller: str = CALLER) -> str:
    """The innermost line of the model's call, as ``FILE:LINE (FUNCTION)``; empty if that cannot be read.

    Args:
        pid: of a process that has registered SIGUSR1 with `faulthandler`.
        stacks: file descriptor from which the stacks are read.
        caller: part of the name of the file that calls the model.
    """
    if pid is None:
        return ""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGUSR1)
    return innermost(_read(stacks), caller)


def innermost(text: str, caller: str = CALLER) -> str:
    """The first line of the first thread that is in a model's call."""
    for thread in text.split("\n\n"):
        frames = FRAME.findall(thread)
        if any(caller in file for file, _, _ in frames):
            file, line, function = frames[0]
            return f"{file}:{line} ({function})"
    return ""


def _read(stacks: int) -> str:
    """All that is written until nothing more comes."""
    parts: list[bytes] = []
    patience = PATIENCE_S
    while select.select([stacks], [], [], patience)[0]:
        part = os.read(stacks, 65536)
        if not part:
            break
        parts.append(part)
        patience = QUIET_S
    return b"".join(parts).decode("utf-8", "replace")
