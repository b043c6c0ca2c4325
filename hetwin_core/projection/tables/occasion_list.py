"""Occasions, kept in the order in which they were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
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
    """Occasions as far as they are known until a time; made when they are asked for, fluent by fluent.

    Args:
        stretches: all that were found; each keeps its number.
        of_fluent: numbers of those of each fluent.
        until_ns: time until which the log is known; what begins later is left out, what ends later has not ended.
    """

    def __init__(
        self,
        stretches: Sequence[Stretch],
        of_fluent: Mapping[str, Sequence[int]],
        until_ns: int,
    ) -> None:
        self._stretches = stretches
        self._of_fluent = {fluent: tuple(rows) for fluent, rows in of_fluent.items()}
        self._count = len(stretches)
        self._until_ns = until_ns
        self._found: dict[str, _OfFluent] = {}

    def __len__(self) -> int:
        return sum(1 for _ in self._known())

    def __iter__(self) -> Iterator[Occasion]:
        return (self[row] for row in self._known())

    def __getitem__(self, row: int) -> Occasion:
        return _occasion(row, self._stretches[row], self._until_ns)

    def find(self, fluent: str, a: str | None = None, b: str | None = None) -> list[Occasion]:
        """Return the rows of a fluent, by begin; None stands for any entity, also for none."""
        found = self._find(fluent, a, b)
        if is_symmetric(fluent) and a != b:
            found = sorted([*found, *self._find(fluent, b, a)], key=_begin)
        return found

    def _known(self) -> Iterator[int]:
        for row in range(self._count):
            if self._stretches[row].from_ns <= self._until_ns:
                yield row

    def _find(self, fluent: str, a: str | None, b: str | None) -> list[Occasion]:
        if fluent not in self._found:
            rows = map(self.__getitem__, self._of_fluent.get(fluent, ()))
            self._found[fluent] = _OfFluent([r for r in rows if r.span.from_ns <= self._until_ns])
        of_fluent = self._found[fluent]
        rows_of_a = of_fluent.rows if a is None else of_fluent.about.get(a, [])
        return [row for row in rows_of_a if b is None or row.b == b]


class _OfFluent:
    """The occasions of a fluent, by begin."""

    def __init__(self, rows: list[Occasion]) -> None:
        self.rows = sorted(rows, key=_begin)
        self.about: dict[str, list[Occasion]] = defaultdict(list)
        for row in self.rows:
            self.about[row.a].append(row)


def _begin(occasion: Occasion) -> tuple[int, int]:
    return occasion.span.from_ns, occasion.row


def _occasion(row: int, stretch: Stretch, until_ns: int) -> Occasion:
    to_ns = stretch.to_ns
    ended = to_ns is not None and to_ns <= until_ns
    span = Interval(stretch.from_ns, to_ns if to_ns is not None and ended else until_ns)
    return Occasion(row, stretch.fluent, stretch.a, stretch.b, span, ended)
