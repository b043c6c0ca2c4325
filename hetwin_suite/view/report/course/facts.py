"""What held in the world beside what the robot believed of it, chosen for a page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from hetwin_core.episodes.tables.rows import Belief, BeliefError, Interval, Occasion
from hetwin_core.episodes.tables.tables import Tables

MOST_FACTS = 24
_TOO_MANY = ("contact", "attached", "loc", "moving")
"""Fluents that say less than others about the same; shown only where the robot was wrong about them."""


@dataclass
class Fact:
    """One fluent of one or two entities.

    Attributes:
        words: e.g. ``on(box, tray)``.
        held: when it held in the world.
        believed: when the robot believed that it does.
        beliefs: how it came to that, one for each interval of `believed`.
        errors: where that was wrong.
        said: whether the robot has said anything about it.
    """

    words: str
    held: list[Interval] = field(default_factory=list)
    believed: list[Interval] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)
    errors: list[BeliefError] = field(default_factory=list)
    said: bool = False


def facts(tables: Tables) -> tuple[list[Fact], int]:
    """Return the facts worth showing, those first that begin first, and how many more there are.

    These are the facts that change during the run, and those that the robot has said something about. If there are
    too many, those stay that the robot was wrong about, then those that change most.
    """
    keys = dict.fromkeys(_keys(tables))
    found = [_fact(tables, *key) for key in keys]
    worth = [one for one in found if one.said or _changes(one, tables)]
    worth.sort(key=lambda one: (not one.errors, not one.said, -_changes(one, tables)))
    shown = worth[:MOST_FACTS]
    shown.sort(key=lambda one: min([*one.held, *one.believed], default=Interval(0, 0)))
    return shown, len(worth) - len(shown)


def _keys(tables: Tables) -> Iterator[tuple[str, str, str]]:
    for row in tables.occasions:
        if row.fluent not in _TOO_MANY:
            yield row.fluent, row.a, row.b
    for error in tables.belief_errors:
        yield error.fluent, error.a, error.b
    for fluent, a in sorted(tables.believed):
        if fluent not in _TOO_MANY:
            yield from dict.fromkeys((fluent, a, row.b) for row in tables.beliefs.find(fluent, a))


def _fact(tables: Tables, fluent: str, a: str, b: str) -> Fact:
    fact = Fact(f"{fluent}({a}, {b})" if b else f"{fluent}({a})")
    fact.held = [row.span for row in _about(tables.occasions.find(fluent, a, b), b)]
    for belief in tables.beliefs.find(fluent, a, b):
        fact.said = True
        if not belief.holds:
            continue
        if fact.believed and fact.believed[-1].to_ns >= belief.span.from_ns:
            fact.believed[-1] = Interval(fact.believed[-1].from_ns, belief.span.to_ns)
        else:
            fact.believed.append(belief.span)
            fact.beliefs.append(belief)
    fact.errors = [
        error
        for error in tables.belief_errors
        if (error.fluent, error.a, error.b) == (fluent, a, b)
    ]
    return fact


def _about(rows: Iterable[Occasion], b: str) -> list[Occasion]:
    """Leave out the rows of other entities, for no second entity stands for any."""
    return [row for row in rows if b in (row.a, row.b)]


def _changes(fact: Fact, tables: Tables) -> int:
    return sum(
        (span.from_ns > tables.start_ns) + (span.to_ns < tables.known_until_ns)
        for span in fact.held
    )
