"""Motion that is evaluated ahead in blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from hetwin_core.ensemble.saving.plain import Plain, numbers_of

_AHEAD_NS = 250_000_000
_MAX_ROWS = 1000

Row = TypeVar("Row")
Evaluate: TypeAlias = Callable[[int, int, int], Sequence[Row]]
"""Returns the motion at a time [ns] and at the periods after it, at most so many; the last argument is the time of the
call before [ns]."""


class Ahead(Generic[Row]):
    """Rows of a block, one a period; a new block is evaluated where the last one ends.

    Args:
        evaluate: a block.
        period_ns: the usual period between calls of `at` [ns].
    """

    def __init__(self, evaluate: Evaluate[Row], period_ns: int) -> None:
        self._evaluate, self._period = evaluate, period_ns
        self._rows = max(1, min(_MAX_ROWS, _AHEAD_NS // period_ns))
        self._block: Sequence[Row] = ()
        self._start = 0
        self._last = self._before = -period_ns

    def at(self, time_ns: int) -> Row:
        """Return the row of a time."""
        row, off = divmod(time_ns - self._start, self._period)
        if off or not 0 <= row < len(self._block):
            # Evaluating ahead pays off only if the caller goes on, in periods.
            passed, off = divmod(time_ns - self._last, self._period)
            rows = self._rows if not off and 0 < passed < self._rows else 1
            self._block = self._evaluate(time_ns, rows, self._last)
            self._start, self._before, row = time_ns, self._last, 0
        self._last = time_ns
        return self._block[row]

    @property
    def empty(self) -> bool:
        """Whether nothing has been evaluated since the beginning, or since it was forgotten."""
        return not self._block

    def forget(self) -> None:
        """Evaluate the next row anew."""
        self._block = ()

    def save(self) -> Plain:
        """Return which block was evaluated, so that the rest of it is evaluated together again."""
        start, last, before = self._start, self._last, self._before
        return {"start_ns": start, "last_ns": last, "before_ns": before, "rows": len(self._block)}

    def restore(self, saved: Plain) -> None:
        """Evaluate the same block.

        Raises:
            Unsaveable: if it was saved of something else.
        """
        keys = ("start_ns", "last_ns", "before_ns", "rows")
        self._start, self._last, self._before, rows = numbers_of(saved, *keys)
        self._block = self._evaluate(self._start, rows, self._before) if rows else ()
