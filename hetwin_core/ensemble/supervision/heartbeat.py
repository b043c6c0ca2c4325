"""Calls of models in progress, and the location where another process hangs."""

from __future__ import annotations

import mmap
import os
import re
import select
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

BEGUN, CALL, TIME, STEP, WAITS = range(5)
"""Columns of a row: monotonic start of the call [ns] (0: no call), code of the call, simulated time [ns], step, and
number of polls of a run that waits, because it is paused or ahead of its pace.
"""
COLUMNS = 5

CALLS = (
    *("load", "register", "initialize", "start"),
    *("step", "take", "release", "place", "change", "command", "compares"),
    *("stop", "save", "restore"),
)
CODES = {call: code for code, call in enumerate(CALLS)}

MAX_MODELS = 4095


class Row(Protocol):
    """Numbers by column."""

    def __getitem__(self, column: int, /) -> int: ...

    def __setitem__(self, column: int, number: int, /) -> None: ...


@dataclass(frozen=True, slots=True)
class Call:
    """A call in progress.

    Attributes:
        index: index of the model in the scenario; -1: the conductor itself.
        call: name of the call.
        time_ns: simulated time.
        begun_ns: start of the call, by `time.monotonic_ns`.
    """

    index: int
    call: str
    time_ns: int
    begun_ns: int


def unseen_row() -> Row:
    """A row that is not shared with other processes."""
    return [0] * COLUMNS


class Heartbeat:
    """Rows in memory that a process shares with those it forks: one of the conductor, one per model.

    The memory has no name, so that nothing is left behind however the processes end.
    """

    def __init__(self) -> None:
        size = (MAX_MODELS + 1) * COLUMNS * 8
        self._numbers = memoryview(mmap.mmap(-1, size)).cast("q")

    def row(self, index: int) -> Row:
        """The row of a model, by its index in the scenario; -1: the conductor's."""
        begin = (index + 1) * COLUMNS
        return self._numbers[begin : begin + COLUMNS]

    def under_way(self, models: int) -> list[Call]:
        """The calls in progress, the oldest first."""
        rows = ((index, self.row(index)) for index in range(-1, models))
        calls = [
            Call(index, CALLS[row[CALL]], row[TIME], begun)
            for index, row in rows
            if (begun := row[BEGUN])
        ]
        return sorted(calls, key=lambda call: call.begun_ns)


FRAME = re.compile(r'File "([^"]+)", line (\d+) in (\S+)')
CALLER = "transport/local.py"
"""File that calls models; only threads with this file in their stack are searched."""
FIRST_READ_S = 0.3
NEXT_READ_S = 0.05


def where_it_hangs(pid: int | None, stacks: int, caller: str = CALLER) -> str:
    """The innermost line of the model's call, as ``FILE:LINE (FUNCTION)``; empty if it cannot be determined.

    Args:
        pid: id of a process that has registered SIGUSR1 with `faulthandler`.
        stacks: file descriptor from which the stacks are read.
        caller: part of the name of the file that calls the model.
    """
    if pid is None:
        return ""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGUSR1)
    return innermost(_read(stacks), caller)


def innermost(text: str, caller: str = CALLER) -> str:
    """The innermost line of the first thread that is in a model's call."""
    for thread in text.split("\n\n"):
        frames = FRAME.findall(thread)
        if any(caller in file for file, _, _ in frames):
            file, line, function = frames[0]
            return f"{file}:{line} ({function})"
    return ""


def _read(stacks: int) -> str:
    """Read until no more data arrives."""
    parts: list[bytes] = []
    timeout_s = FIRST_READ_S
    while select.select([stacks], [], [], timeout_s)[0]:
        part = os.read(stacks, 65536)
        if not part:
            break
        parts.append(part)
        timeout_s = NEXT_READ_S
    return b"".join(parts).decode("utf-8", "replace")
