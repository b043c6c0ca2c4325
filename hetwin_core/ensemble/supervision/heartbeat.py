"""Which call of which model is under way, and since when, where another process can read it.

A model that hangs in C with Python's lock held stops every thread of its process, so only another process can name it.
Writing a row costs a few stores into shared memory per call.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass
from typing import Protocol

BEGUN, CALL, TIME, STEP, WAITS = range(5)
"""Columns of a row: monotonic ns at which the call began (0: none is under way), which, simulated ns, step, and how
often a run that is paused, or ahead of its pace, has looked whether it may go on."""
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
    """A call that is under way.

    Attributes:
        index: of the model in the scenario; -1: of the conductor itself.
        call: its name.
        time_ns: simulated time.
        begun_ns: when it began, of `time.monotonic_ns`.
    """

    index: int
    call: str
    time_ns: int
    begun_ns: int


def unseen_row() -> Row:
    """A row that no other process reads."""
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
        """The calls that are under way, the oldest first."""
        rows = ((index, self.row(index)) for index in range(-1, models))
        calls = [
            Call(index, CALLS[row[CALL]], row[TIME], begun)
            for index, row in rows
            if (begun := row[BEGUN])
        ]
        return sorted(calls, key=lambda call: call.begun_ns)
