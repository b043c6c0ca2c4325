"""Where the occasions of two runs part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from hetwin_core.ensemble.events import Json
from hetwin_core.episodes.comparing.comparison import TOLERANCE_NS, Parting
from hetwin_core.episodes.comparing.motion import SETTLING_NS
from hetwin_core.episodes.comparing.side import Side
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.rows import BORNE, Interval, Occasion

_OF_MOTION = ("loc", "moving", "attached", BORNE)
"""Fluents that follow from how bodies move and what they stand on, which are compared themselves."""


_SHORT_S = 1.0


class Fact(NamedTuple):
    """What occasions of one row of intervals say."""

    fluent: str
    a: str
    b: str

    def words(self) -> str:
        """Return it as it is asked for, e.g. ``on(box, tray)``."""
        return f"{self.fluent}({', '.join(name for name in (self.a, self.b) if name)})"


class Disagreement(NamedTuple):
    """A time in which something holds in one run alone.

    Attributes:
        fact: what holds, or has ended.
        span: the time.
        side: the run that it holds or has ended in, 0 for the first, 1 for the other.
        occasion: of that run.
    """

    fact: Fact
    span: Interval
    side: int
    occasion: Occasion

    def words(self) -> str:
        """Return it in words; with its length, if that is short."""
        over = " ends" if self.occasion.span.to_ns <= self.span.from_ns else ""
        length = (self.span.to_ns - self.span.from_ns) / 1e9
        lasts = f", for {length:.2f} s" if length < _SHORT_S else ""
        return f"only {'there' if self.side else 'here'}: {self.fact.words()}{over}{lasts}"


def disagreements(here: Side, there: Side, span: Interval) -> list[Disagreement]:
    """Return what holds in one run alone for longer than the tolerance, by its beginning.

    What differs in the first state is left out until it ends; of an object that only one run has, what holds at the
    start is taken to hold in the other as well.
    """
    compared = (here.tables.recorded & there.tables.recorded) - {*_OF_MOTION}
    one, other = (_by_fact(side.tables.occasions, compared) for side in (here, there))
    found: list[Disagreement] = []
    for fact in dict.fromkeys([*one, *other]):
        lone = any(name and here.has(name) != there.has(name) for name in (fact.a, fact.b))
        within = Interval(span.from_ns + SETTLING_NS, span.to_ns) if lone else span
        rows = one.get(fact, []), other.get(fact, [])
        moments = _moments(rows[0], within), _moments(rows[1], within)
        for apart, side in _apart(*moments, within, lone=lone):
            if not rows[side]:  # it has ended, of an object that the other run does not have
                side = 1 - side
            found.append(Disagreement(fact, apart, side, _around(rows[side], apart.from_ns)))
    return sorted(found, key=lambda item: (item.span.from_ns, item.fact))


def _apart(
    here: Intervals, there: Intervals, within: Interval, *, lone: bool
) -> Iterator[tuple[Interval, int]]:
    """Yield when something holds in one run alone, and in which, 0 or 1."""
    whole = Intervals([within])
    if lone and within.from_ns in here | there:
        here, there = (one or whole for one in (here, there))
    for side, alone in enumerate((here - there, there - here)):
        for apart in alone:
            is_long = apart.to_ns - apart.from_ns > TOLERANCE_NS
            if is_long and apart.from_ns > within.from_ns:
                yield apart, side


def _moments(rows: Iterable[Occasion], within: Interval) -> Intervals:
    return Intervals(row.span for row in rows) & Intervals([within])


def _around(rows: Iterable[Occasion], time_ns: int) -> Occasion:
    """Return the last occasion that has begun at a time."""
    return [row for row in rows if row.span.from_ns <= time_ns][-1]


def parting_of(found: Sequence[Disagreement]) -> Parting | None:
    """Return the place where the runs first part, with the entities of all that parts then; None if there is none."""
    if not found:
        return None
    first = found[0]
    time_ns = first.span.from_ns
    facts = [item.fact for item in found if item.span.from_ns <= time_ns + TOLERANCE_NS]
    named = (name for fact in facts for name in (fact.a, fact.b) if name)
    row = _row(first.occasion)
    rows = (None, row) if first.side else (row, None)
    return Parting(time_ns, tuple(dict.fromkeys(named)), *rows)


def _row(occasion: Occasion) -> dict[str, Json]:
    return {
        "fluent": occasion.fluent,
        "a": occasion.a,
        "b": occasion.b,
        "from": occasion.span.from_ns / 1e9,
        "to": occasion.span.to_ns / 1e9,
    }


def _by_fact(rows: Iterable[Occasion], fluents: frozenset[str]) -> dict[Fact, list[Occasion]]:
    found: dict[Fact, list[Occasion]] = {}
    for row in rows:
        if row.fluent in fluents:
            found.setdefault(Fact(row.fluent, row.a, row.b), []).append(row)
    return {fact: sorted(known, key=lambda row: row.span) for fact, known in found.items()}
