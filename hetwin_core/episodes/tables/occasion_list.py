"""Occasions, kept in the order in which they were found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hetwin_core.episodes.tables.fluents import is_symmetric
from hetwin_core.episodes.tables.rows import Interval, Occasion


@dataclass(slots=True)
class Stretch:
    """An occasion while it is being found; `to_ns` is None until it has ended."""

    fluent: str
    a: str
    b: str
    from_ns: int
    to_ns: int | None = None


class OccasionList:
    """Occasions as far as they are known until a time; made when they are asked for, entity by entity.

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
        self._about: dict[str, Mapping[str, Sequence[int]]] = {}
        self._made: dict[tuple[str, str | None], list[Occasion]] = {}

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
        key = fluent, a
        if key not in self._made:
            rows = (self[number] for number in self._numbers(fluent, a))
            known = (row for row in rows if row.span.from_ns <= self._until_ns)
            self._made[key] = sorted(known, key=_begin)
        return [row for row in self._made[key] if b is None or row.b == b]

    def _numbers(self, fluent: str, a: str | None) -> Sequence[int]:
        """Return the numbers of the rows of a fluent, of one entity or of all."""
        if a is None:
            return self._of_fluent.get(fluent, ())
        if fluent not in self._about:
            about: dict[str, list[int]] = defaultdict(list)
            for number in self._of_fluent.get(fluent, ()):
                about[self._stretches[number].a].append(number)
            self._about[fluent] = about
        return self._about[fluent].get(a, ())


def _begin(occasion: Occasion) -> tuple[int, int]:
    return occasion.span.from_ns, occasion.row


def _occasion(row: int, stretch: Stretch, until_ns: int) -> Occasion:
    to_ns = stretch.to_ns
    ended = to_ns is not None and to_ns <= until_ns
    span = Interval(stretch.from_ns, to_ns if to_ns is not None and ended else until_ns)
    return Occasion(row, stretch.fluent, stretch.a, stretch.b, span, ended)
