"""The rows of an episode, in the order in which they were found, with indices by entity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.tables.rows import Belief, Happening, Interval, Occasion, is_symmetric


class EventList(Sequence[Happening]):
    """Events up to a time, in order.

    Args:
        happenings: all events; those at equal times keep their order.
        until_ns: later ones are left out.
    """

    def __init__(self, happenings: Iterable[Happening], until_ns: int) -> None:
        found = [event for event in happenings if event.time_ns <= until_ns]
        self._events = sorted(found, key=lambda event: event.time_ns)
        self._named: dict[str, list[Happening]] = {}
        for event in self._events:
            self._named.setdefault(event.name, []).append(event)
        self._rows = {event.row: event for event in self._events}

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Happening]:
        return iter(self._events)

    @overload
    def __getitem__(self, index: int) -> Happening: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Happening]: ...

    def __getitem__(self, index: int | slice) -> Happening | Sequence[Happening]:
        return self._events[index]

    @property
    def names(self) -> list[str]:
        """All names, in the order of their first events."""
        return list(self._named)

    def named(self, name: str) -> Sequence[Happening]:
        """Return the events of a name, by time."""
        return self._named.get(name, ())

    def row(self, row: int) -> Happening:
        """Return the event with this number.

        Raises:
            KeyError: if there is none.
        """
        return self._rows[row]


@dataclass(slots=True)
class Stretch:
    """An occasion during the derivation; `to_ns` is None until it has ended."""

    fluent: str
    a: str
    b: str
    from_ns: int
    to_ns: int | None = None


class OccasionList:
    """Occasions as known up to a time; made on demand, by entity.

    Args:
        stretches: all occasions; each keeps its number.
        of_fluent: numbers of each fluent's occasions.
        until_ns: time up to which the log is known; occasions that start later are left out, later ends are still
            open.
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
        """Return the rows of a fluent, by start time; None matches any entity, and the absence of one."""
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
        """Return the numbers of a fluent's rows, about one entity or all."""
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


Numbers: TypeAlias = NDArray[np.int64]


class Claim(NamedTuple):
    """The content of a belief without its numbers."""

    fluent: str
    a: str
    b: str
    holds: bool
    origin: str


class BeliefColumns(NamedTuple):
    """Beliefs in the order of the log; n is their number.

    Attributes:
        claims: the distinct claims.
        kinds: (n,) index of each belief's claim.
        times: (n,) when it was formed [ns].
        poses: (n, 7) in the world; NaN without a pose.
        confidences: (n,) confidence of a percept.
    """

    claims: Sequence[Claim]
    kinds: Numbers
    times: Numbers
    poses: Floats
    confidences: Floats


class BeliefList:
    """The robot's beliefs.

    Each one, including percepts, is held until the next one about the same fluent and entities.

    Args:
        columns: returns all beliefs.
        until_ns: later ones are left out.
    """

    def __init__(self, columns: Callable[[], BeliefColumns], until_ns: int) -> None:
        self._make_columns = columns
        self._until_ns = until_ns

    @cached_property
    def _columns(self) -> BeliefColumns:
        return self._make_columns()

    @cached_property
    def _rows(self) -> Numbers:
        """Indices of the beliefs that are not left out."""
        return np.flatnonzero(self._columns.times <= self._until_ns)

    @cached_property
    def _to(self) -> Numbers:
        """(n,) end of each belief [ns]."""
        c = self._columns
        ends = np.full(len(c.times), self._until_ns, np.int64)
        for rows in self._chains.values():
            ends[rows[:-1]] = c.times[rows[1:]]
        return ends

    def in_columns(self) -> tuple[BeliefColumns, Numbers, Numbers]:
        """Return all beliefs as columns, the indices of those that are rows, (m,), and the end of each, (n,) [ns]."""
        return self._columns, self._rows, self._to

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Belief]:
        return iter(self._beliefs(self._rows))

    def __getitem__(self, row: int) -> Belief:
        return self._beliefs(np.array([row], np.int64))[0]

    def find(
        self,
        fluent: str,
        a: str | None = None,
        b: str | None = None,
        during: Interval | None = None,
    ) -> list[Belief]:
        """Return the rows of a fluent that overlap an interval, by start time; None matches any.

        A belief of zero duration overlaps an interval that contains its instant.
        """
        found = [
            self._overlapping(rows, during)
            for (of, one, other), rows in self._chains.items()
            if of == fluent and a in (None, one) and b in (None, other)
        ]
        rows = np.concatenate([np.empty(0, np.int64), *found])
        order = np.lexsort((rows, self._columns.times[rows]))
        return self._beliefs(rows[order])

    def histories(self) -> Iterator[tuple[str, str, str, Numbers, NDArray[np.bool_]]]:
        """Iterate over the fluents and entities of beliefs.

        Yields:
            Fluent, a, b, (m,) when the beliefs were formed [ns], (m,) whether they hold the fluent to be true.
        """
        holds = np.array([claim.holds for claim in self._columns.claims], np.bool_)
        for (fluent, a, b), rows in self._chains.items():
            yield fluent, a, b, self._columns.times[rows], holds[self._columns.kinds[rows]]

    def _beliefs(self, rows: Numbers) -> list[Belief]:
        c = self._columns
        columns = (c.kinds[rows], c.times[rows], self._to[rows], c.poses[rows])
        found = []
        for row, kind, from_ns, to_ns, pose in zip(
            rows.tolist(), *(column.tolist() for column in columns), strict=True
        ):
            fluent, a, b, holds, origin = c.claims[kind]
            known_pose = tuple(pose) if pose[0] == pose[0] else None
            span = Interval(from_ns, to_ns)
            found.append(Belief(row, fluent, a, b, holds, known_pose, span, origin))
        return found

    def _overlapping(self, rows: Numbers, during: Interval | None) -> Numbers:
        if during is None:
            return rows
        begins, ends = self._columns.times[rows], self._to[rows]
        last = max(during.to_ns, during.from_ns + 1)
        inside = (begins < last) & ((ends > during.from_ns) | (begins >= during.from_ns))
        return rows[inside]

    @cached_property
    def _chains(self) -> dict[tuple[str, str, str], Numbers]:
        """Fluent, a and b -> rows by time."""
        c = self._columns
        kinds: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for kind, claim in enumerate(c.claims):
            kinds[claim.fluent, claim.a, claim.b].append(kind)
        number = np.empty(len(c.claims), np.int64)
        for i, members in enumerate(kinds.values()):
            number[members] = i
        of_row = number[c.kinds[self._rows]]
        order = np.lexsort((self._rows, c.times[self._rows], of_row))
        rows = self._rows[order]
        cuts = np.searchsorted(of_row[order], np.arange(1, len(kinds)))
        parts = zip(kinds, np.split(rows, cuts), strict=False)
        return {key: part for key, part in parts if len(part)}
