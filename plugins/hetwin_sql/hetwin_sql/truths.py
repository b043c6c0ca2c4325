"""Truth values of fluents (true, false or unknown) over a whole episode, interval by interval."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from hetwin_suite.model import EntityKind
from hetwin_suite.tables import DECIDED_BY, Interval, Occasion, Tables, UnobservedInterval


class Truth(NamedTuple):
    """Truth value of a fluent in an interval.

    Attributes:
        fluent: e.g. ``holding``.
        a: the first entity.
        b: the second entity while it holds; empty otherwise, and if there is none.
        holds: whether it holds, with any second entity; None if unknown.
        span: the interval.
        why: why it is unknown; empty otherwise.
    """

    fluent: str
    a: str
    b: str
    holds: bool | None
    span: Interval
    why: str


def truths(tables: Tables) -> Iterator[Truth]:
    """Yield the truth of each fluent in a run's coverage, for each entity without gaps."""
    names = {(slot.entity, slot.attribute.name) for slot in tables.layout.slots}
    for fluent in sorted(tables.recorded & DECIDED_BY.keys()):
        rows = tables.occasions.find(fluent)
        about = {a for a, name in names if name == fluent} | {row.a for row in rows}
        if fluent == "held":  # may be reported by a hand instead of the object
            about |= {entity.name for entity in tables.layout.of_kind(EntityKind.OBJECT)}
        for a in sorted(about):
            first = {a} if DECIDED_BY[fluent].argument == 0 else None
            blind = tables.unseen.of(fluent, first, None)
            yield from _of(tables, fluent, a, [row for row in rows if row.a == a], blind)


def _of(
    tables: Tables, fluent: str, a: str, rows: list[Occasion], blind: list[UnobservedInterval]
) -> Iterator[Truth]:
    """Yield the truths of one entity: one for each second entity with which it holds, and those in between."""
    whole = Interval(tables.start_ns, tables.known_until_ns)
    edges = {*whole}
    for span in (*(row.span for row in rows), *(one.span for one in blind)):
        edges |= {min(max(edge, whole.from_ns), whole.to_ns) for edge in span}
    times = sorted(edges)
    before: list[Truth] = []
    for from_ns, to_ns in pairwise(times):
        now = _at(fluent, a, rows, blind, Interval(from_ns, to_ns))
        if [_content(one) for one in before] == [_content(one) for one in now]:
            whole_span = Interval(before[0].span.from_ns, to_ns)
            before = [one._replace(span=whole_span) for one in before]
            continue
        yield from before
        before = now
    yield from before


def _content(truth: Truth) -> tuple[str, bool | None, str]:
    return truth.b, truth.holds, truth.why


def _at(
    fluent: str, a: str, rows: list[Occasion], blind: list[UnobservedInterval], span: Interval
) -> list[Truth]:
    """Return the truths of an interval without changes."""
    others = dict.fromkeys(row.b for row in rows if _covers(row.span, span))
    if others:
        return [Truth(fluent, a, b, True, span, "") for b in others]
    why = dict.fromkeys(one.why for one in blind if _covers(one.span, span))
    return [Truth(fluent, a, "", None if why else False, span, "; ".join(why))]


def _covers(one: Interval, other: Interval) -> bool:
    return one.from_ns <= other.from_ns and other.to_ns <= one.to_ns
