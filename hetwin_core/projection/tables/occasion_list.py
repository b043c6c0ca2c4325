"""Occasions, kept in the order in which they were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hetwin_core.projection.tables.fluents import is_symmetric
from hetwin_core.projection.tables.rows import Interval, Occasion


@dataclass(slots=True)
class Stretch:
    """An occasion while it is being found; `to_ns` is None until it has ended."""

    fluent: str
    a: str
    b: str
    from_ns: int
    to_ns: int | None = None


class OccasionList:
    """Occasions as far as they are known until a time.

    Args:
        stretches: all that were found; each keeps its number.
        until_ns: time until which the log is known; what begins later is left out, what ends later has not ended.
    """

    def __init__(self, stretches: Iterable[Stretch], until_ns: int) -> None:
        self._rows = {
            row: _occasion(row, stretch, until_ns)
            for row, stretch in enumerate(stretches)
            if stretch.from_ns <= until_ns
        }
        self._named: dict[str, list[Occasion]] = defaultdict(list)
        for occasion in sorted(self._rows.values(), key=_begin):
            self._named[occasion.fluent].append(occasion)
        self._about: dict[tuple[str, str], list[Occasion]] = defaultdict(list)
        for found in self._named.values():
            for occasion in found:
                self._about[occasion.fluent, occasion.a].append(occasion)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Occasion]:
        return iter(self._rows.values())

    def __getitem__(self, row: int) -> Occasion:
        return self._rows[row]

    def find(self, fluent: str, a: str | None = None, b: str | None = None) -> list[Occasion]:
        """Return the rows of a fluent, by begin; None stands for any entity, also for none."""
        found = self._find(fluent, a, b)
        if is_symmetric(fluent) and a != b:
            found = sorted([*found, *self._find(fluent, b, a)], key=_begin)
        return found

    def _find(self, fluent: str, a: str | None, b: str | None) -> list[Occasion]:
        rows = self._named.get(fluent, []) if a is None else self._about.get((fluent, a), [])
        return [row for row in rows if b is None or row.b == b]


def _begin(occasion: Occasion) -> tuple[int, int]:
    return occasion.span.from_ns, occasion.row


def _occasion(row: int, stretch: Stretch, until_ns: int) -> Occasion:
    to_ns = stretch.to_ns
    ended = to_ns is not None and to_ns <= until_ns
    span = Interval(stretch.from_ns, to_ns if to_ns is not None and ended else until_ns)
    return Occasion(row, stretch.fluent, stretch.a, stretch.b, span, ended)
