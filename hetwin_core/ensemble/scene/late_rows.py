"""Tables of numbers that cost time, and that most steps of a run do without."""

from __future__ import annotations

from collections.abc import Callable

from hetwin_core.ensemble.scene.values import Floats


class LateRows:
    """A table that is computed when it is read for the first time.

    Args:
        compute: returns the table; it is called once at most.
        lasts: whether the table is the same if it is read only after further steps.
    """

    __slots__ = ("_compute", "_rows", "lasts")

    def __init__(self, compute: Callable[[], Floats], *, lasts: bool = True) -> None:
        self.lasts = lasts
        self._compute: Callable[[], Floats] | None = compute
        self._rows: Floats | None = None

    def rows(self) -> Floats:
        """Return the table, the same array each time."""
        if self._rows is None:
            assert self._compute is not None
            self._rows = self._compute()
            self._compute = None  # frees what the table was computed from
        return self._rows

    __call__ = rows

    def saved_as(self) -> Floats:
        """Return what is saved instead: the array itself serves what keeps such a table."""
        return self.rows()

    @property
    def known(self) -> Floats | None:
        """The table if it has been computed; None if not."""
        return self._rows


def rows_of(table: Floats | LateRows) -> Floats:
    """Return a table as an array, computed now if it has not been read before."""
    return table.rows() if isinstance(table, LateRows) else table
