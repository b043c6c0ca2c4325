"""Pairs what happened in two runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from hetwin_core.episodes.comparing.comparison import TOLERANCE_NS

Row = TypeVar("Row")


def unpaired(
    here: Sequence[Row],
    there: Sequence[Row],
    key: Callable[[Row], Hashable],
    time_ns: Callable[[Row], int],
    tolerance_ns: int = TOLERANCE_NS,
) -> tuple[list[Row], list[Row]]:
    """Return the rows of each run that the other does not have at nearly the same time, in order of time.

    Args:
        here: rows of the first run.
        there: rows of the other.
        key: what must be equal of two rows that are the same.
        time_ns: when a row happened.
        tolerance_ns: how far apart the same may happen.
    """
    waiting: dict[Hashable, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for side, rows in enumerate((here, there)):
        for row in sorted(rows, key=time_ns):
            waiting[key(row)][side].append(row)
    alone: tuple[list[Row], list[Row]] = ([], [])
    for ones, others in waiting.values():
        while ones and others:
            apart = time_ns(ones[0]) - time_ns(others[0])
            if abs(apart) <= tolerance_ns:
                ones.pop(0)
                others.pop(0)
            else:
                side = 0 if apart < 0 else 1
                alone[side].append((ones, others)[side].pop(0))
        alone[0].extend(ones)
        alone[1].extend(others)
    return sorted(alone[0], key=time_ns), sorted(alone[1], key=time_ns)
