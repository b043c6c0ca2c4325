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
        b: the second entity while the fluent holds; empty otherwise, and for fluents of one entity.
        holds: whether the fluent holds, with any second entity; None if unknown.
        span: the interval.
        why: reason if the truth value is unknown; empty otherwise.
    """

    fluent: str
    a: str
    b: str
    holds: bool | None
    span: Interval
    why: str


def truths(tables: Tables) -> Iterator[Truth]:
    """Yield the truth values of each fluent in a run's coverage; the intervals of each entity have no gaps."""
    names = {(slot.entity, slot.attribute.name) for slot in tables.layout.slots}
    for fluent in sorted(tables.recorded & DECIDED_BY.keys()):
        rows = tables.occasions.find(fluent)
        entities = {a for a, name in names if name == fluent} | {row.a for row in rows}
        if fluent == "held":  # may be reported by a hand instead of the object
            entities |= {entity.name for entity in tables.layout.of_kind(EntityKind.OBJECT)}
        for a in sorted(entities):
            subjects = {a} if DECIDED_BY[fluent].argument == 0 else None
            unobserved = tables.unseen.of(fluent, subjects, None)
            yield from _truths_of(
                tables, fluent, a, [row for row in rows if row.a == a], unobserved
            )


def _truths_of(
    tables: Tables, fluent: str, a: str, rows: list[Occasion], unobserved: list[UnobservedInterval]
) -> Iterator[Truth]:
    """Yield the truth values of one entity, for each second entity with which the fluent holds, and in between."""
    episode_span = Interval(tables.start_ns, tables.known_until_ns)
    edges = {*episode_span}
    for span in (*(row.span for row in rows), *(interval.span for interval in unobserved)):
        edges |= {min(max(edge, episode_span.from_ns), episode_span.to_ns) for edge in span}
    times = sorted(edges)
    previous: list[Truth] = []
    for from_ns, to_ns in pairwise(times):
        current = _truths_in(fluent, a, rows, unobserved, Interval(from_ns, to_ns))
        if [_content(truth) for truth in previous] == [_content(truth) for truth in current]:
            whole_span = Interval(previous[0].span.from_ns, to_ns)
            previous = [truth._replace(span=whole_span) for truth in previous]
            continue
        yield from previous
        previous = current
    yield from previous


def _content(truth: Truth) -> tuple[str, bool | None, str]:
    return truth.b, truth.holds, truth.why


def _truths_in(
    fluent: str, a: str, rows: list[Occasion], unobserved: list[UnobservedInterval], span: Interval
) -> list[Truth]:
    """Return the truth values in an interval without changes."""
    second_entities = dict.fromkeys(row.b for row in rows if _covers(row.span, span))
    if second_entities:
        return [Truth(fluent, a, b, True, span, "") for b in second_entities]
    why = dict.fromkeys(interval.why for interval in unobserved if _covers(interval.span, span))
    return [Truth(fluent, a, "", None if why else False, span, "; ".join(why))]


def _covers(outer: Interval, inner: Interval) -> bool:
    return outer.from_ns <= inner.from_ns and inner.to_ns <= outer.to_ns
