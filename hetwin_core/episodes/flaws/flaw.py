"""Flaws, their causes, and the rules' access to an episode's tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from hetwin_core.ensemble.sentences.catalogue import listed, plain
from hetwin_core.episodes.asking.answer import Evidence, evidence_row
from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.tables.rows import BORNE, DERIVED, Happening, Interval, Occasion
from hetwin_core.episodes.tables.tables import Tables


class Facts:
    """The occasions and events of an episode, by fluent or name and by entity.

    Args:
        tables: tables of the episode.
        expectations: expectations of its tasks.
    """

    def __init__(self, tables: Tables, expectations: Expectations) -> None:
        self.tables = tables
        self.expectations = expectations
        self.bodies = expectations.bodies
        self.named = expectations.named

    def known(self, fluent: str) -> bool:
        """Return whether the log records a fluent."""
        return fluent in self.tables.recorded

    def events(self, *names: str, about: str = "") -> list[Happening]:
        """Return the events of some names, in order; only those about one entity if it is given."""
        if len(names) == 1 and not about:
            return list(self.tables.events.named(names[0]))
        rows = [row for name in names for row in self.tables.events.named(name)]
        rows.sort(key=lambda row: (row.time_ns, row.row))
        return [row for row in rows if not about or row.arguments.get("object") == about]

    def during(self, fluent: str, entity: str, span: Interval) -> Iterator[Occasion]:
        """Yield the occasions of a fluent with an entity as either argument that overlap an interval."""
        for rows in self._occasions.get((fluent, entity), {}).values():
            begin = bisect_left(rows, span.from_ns, key=lambda row: row.span.to_ns)
            for row in rows[begin:]:
                if row.span.from_ns > span.to_ns:
                    break
                yield row

    def at(self, fluent: str, entity: str, time_ns: int) -> list[Occasion]:
        """Return those of `during` that hold at a time."""
        rows = self.during(fluent, entity, Interval(time_ns, time_ns))
        return [row for row in rows if row.span.from_ns <= time_ns < row.span.to_ns]

    def supports(self, entity: str, time_ns: int) -> list[str]:
        """Return the supports of an entity at a time."""
        return [row.b for row in self.at(BORNE, entity, time_ns) if row.a == entity]

    def holder(self, entity: str, time_ns: int) -> str:
        """Return the hand that holds an entity at a time; empty if none does."""
        return next((r.b for r in self.at("held", entity, time_ns) if r.a == entity), "")

    def carried_by(self, hand: str, time_ns: int) -> list[str]:
        """Return the objects in a hand at a time."""
        return [row.a for row in self.at("held", hand, time_ns) if row.b == hand]

    @cached_property
    def grips(self) -> list[Occasion]:
        """Intervals in which hands held objects, by start time: from the log, else from force dynamics."""
        held = self.tables.occasions.find("held")
        return sorted((*held, *self._derived_grips()), key=lambda row: (row.span, row.row))

    def _derived_grips(self) -> Iterator[Occasion]:
        """Yield intervals in which objects without an attribute ``held`` moved with a hand that picked them up."""
        for event in self.events("pick_up"):
            name, hand = (str(event.arguments.get(key) or "") for key in ("object", "hand"))
            if event.source != DERIVED or self.tables.layout.has(name, "held"):
                continue
            links = self.bodies.stands_for(hand)
            rows = [
                row
                for row in self.tables.occasions.find("attached", name)
                if row.b in links and row.span.from_ns <= event.time_ns <= row.span.to_ns
            ]
            if rows:
                begin, end = (f(row.span[i] for row in rows) for i, f in enumerate((min, max)))
                ended = all(row.ended for row in rows)
                yield Occasion(rows[0].row, "held", name, hand, Interval(begin, end), ended)

    @cached_property
    def _occasions(self) -> dict[tuple[str, str], dict[str, list[Occasion]]]:
        """Occasions by fluent and entity, then by the other entity; occasions of one pair do not overlap."""
        found: dict[tuple[str, str], dict[str, list[Occasion]]] = {}
        others = (row for row in self.tables.occasions if row.fluent != "held")
        for row in sorted((*others, *self.grips), key=lambda row: (row.span.from_ns, row.row)):
            for item, other in {(row.a, row.b), (row.b, row.a)}:
                if item:
                    found.setdefault((row.fluent, item), {}).setdefault(other, []).append(row)
        return found


class Cause(NamedTuple):
    """A cause of a flaw.

    Attributes:
        kind: kind of a flaw; or ``event`` or ``task``.
        what: the cause in words, e.g. ``contact(gripper_left_finger, cup)``; for a task its id.
        span: its interval.
        entities: entities that it is about.
        flaw: index of the flaw in the list of all; None for an event or a task.
    """

    kind: str
    what: str
    span: Interval
    entities: tuple[str, ...] = ()
    flaw: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the cause as JSON."""
        return {
            "kind": self.kind,
            "what": self.what,
            **_seconds(self.span),
            "entities": list(self.entities),
            "flaw": self.flaw,
        }


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that went wrong.

    Attributes:
        kind: e.g. ``knocked_over``; the kind of the rule that found it.
        span: its interval.
        entities: entities that it is about, the most important first.
        task: id of the task in which it happened; None without one.
        caused_by: its causes, the nearest first, including the causes of other flaws.
        text: one sentence about it.
        evidence: the supporting rows.
        trace: further entities that link it with other flaws.
        since_ns: time from which it may cause others.
    """

    kind: str
    span: Interval
    entities: tuple[str, ...]
    task: str | None
    text: str
    caused_by: tuple[Cause, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    trace: frozenset[str] = frozenset()
    since_ns: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the flaw as in ``hetwin ask --flaws --json``."""
        return {
            "kind": self.kind,
            **_seconds(self.span),
            "entities": list(self.entities),
            "task": self.task,
            "caused_by": [cause.to_json() for cause in self.caused_by],
            "text": self.text,
            "evidence": [evidence_row(row) for row in self.evidence],
        }


def _seconds(span: Interval) -> dict[str, float]:
    return {"from": round(span.from_ns / 1e9, 6), "to": round(span.to_ns / 1e9, 6)}


SAME_NS = 50_000_000
"""Maximum distance of start times that count as the same [ns]."""
EFFECT_NS = 5_000_000_000
"""Time after its correction from which an incorrect belief no longer causes flaws [ns]."""
_INCORRECT_BELIEFS = ("incorrect_belief", "stale_belief")
_BELIEFS = (*_INCORRECT_BELIEFS, "wrong_object")
_OUTCOMES = ("unachieved", "failed_navigation", "task_failed")
_ORDER = ("wrong_order", "failed_navigation")


def linked(flaws: Iterable[Flaw], facts: Facts) -> list[Flaw]:
    """Return flaws in chronological order, each with its causes: flaws, events, tasks.

    A flaw is caused by earlier ones that are about the same object, or about one that has touched it since; by
    incorrect beliefs about its subject; and by flaws of tasks that its task follows or is a part of.
    """
    ordered = sorted(flaws, key=lambda flaw: (flaw.since_ns, _rank(flaw), flaw.span.to_ns))
    parents: list[tuple[int, ...]] = []
    found: list[Flaw] = []
    for number, flaw in enumerate(ordered):
        direct_causes = [i for i in range(number) if _comes_from(flaw, ordered[i], facts)]
        parents.append(tuple(direct_causes))
        indirect_causes = sorted(_ancestors(number, parents), reverse=True)
        causes = (*(_cause(i, ordered[i]) for i in indirect_causes), *flaw.caused_by)
        found.append(replace(flaw, caused_by=(*causes, *_tasks(flaw, facts))))
    return found


def _rank(flaw: Flaw) -> int:
    """Order of flaws with the same start: actions first, then incorrect beliefs, unachieved goals last."""
    if flaw.kind in _INCORRECT_BELIEFS:
        return 2
    return {"wrong_order": 0, "overlooked": 0, **dict.fromkeys(_OUTCOMES, 4)}.get(flaw.kind, 1)


def _ancestors(number: int, parents: Sequence[tuple[int, ...]]) -> set[int]:
    found: set[int] = set()
    queue = list(parents[number])
    while queue:
        item = queue.pop()
        if item not in found:
            found.add(item)
            queue += parents[item]
    return found


def _comes_from(flaw: Flaw, other: Flaw, facts: Facts) -> bool:
    objects = _movable(flaw, facts)
    if _is_without_effect(other, flaw, facts):
        return False
    if objects & _movable(other, facts):
        return True
    if other.kind in (*_BELIEFS, *_ORDER) and set(flaw.entities) & set(other.entities):
        return True
    if other.kind in _ORDER and flaw.task and other.task and _related(flaw.task, other.task, facts):
        return True
    since = Interval(other.since_ns - SAME_NS, flaw.span.to_ns)
    return any(_touched(name, _movable(other, facts), since, facts) for name in objects)


def _is_without_effect(other: Flaw, flaw: Flaw, facts: Facts) -> bool:
    """Whether an earlier flaw can no longer have an effect on a later one.

    A belief has been correct again for some time; or a hand has since taken and released all objects that both are
    about.
    """
    later = flaw.span.from_ns - other.span.to_ns
    if other.kind in _INCORRECT_BELIEFS:
        return later > (0 if flaw.kind in _INCORRECT_BELIEFS else EFFECT_NS)
    common = _movable(flaw, facts) & _movable(other, facts)
    since = Interval(other.span.to_ns, flaw.span.from_ns)
    return bool(common) and later > 0 and all(_handled(name, since, facts) for name in common)


def _handled(name: str, since: Interval, facts: Facts) -> bool:
    """Whether a hand took and released an object in an interval."""
    return any(
        row.a == name and row.span.from_ns > since.from_ns and row.span.to_ns < since.to_ns
        for row in facts.during("held", name, since)
    )


def _movable(flaw: Flaw, facts: Facts) -> set[str]:
    return {name for name in (*flaw.entities, *flaw.trace) if facts.bodies.is_movable(name)}


def _touched(name: str, others: set[str], since: Interval, facts: Facts) -> bool:
    """Whether an object started to touch one of the others in an interval."""
    return any(
        since.from_ns <= row.span.from_ns and {row.a, row.b} & others
        for row in facts.during("contact", name, since)
    )


def _related(item: str, other: str, facts: Facts) -> bool:
    """Whether two tasks have a common ancestor, or one is an ancestor of the other."""
    by_id = {task.id: task for task in facts.tables.tasks}
    lineages = [
        {above.id for above in facts.named.lineage(by_id[name])} if name in by_id else {name}
        for name in (item, other)
    ]
    return bool(lineages[0] & lineages[1])


def _cause(number: int, flaw: Flaw) -> Cause:
    what = f"{flaw.kind}({', '.join(flaw.entities)})"
    return Cause(flaw.kind, what, flaw.span, flaw.entities, number)


def _tasks(flaw: Flaw, facts: Facts) -> Iterator[Cause]:
    """Yield the task of a flaw and its ancestors, the nearest first."""
    task = next((task for task in facts.tables.tasks if task.id == flaw.task), None)
    if task is not None:
        for above in facts.named.lineage(task):
            yield Cause("task", above.id, above.span, facts.named.own(above))


def because(flaw: Flaw, flaws: Sequence[Flaw]) -> str:
    """Return the sentence of a flaw with the original flaws that caused it, if there are any."""
    origins = [cause.flaw for cause in flaw.caused_by if cause.flaw is not None]
    original_flaws = [
        flaws[number]
        for number in origins
        if not any(cause.flaw is not None for cause in flaws[number].caused_by)
    ]
    if not original_flaws:
        return flaw.text
    names = [
        f"{item.kind.replace('_', ' ')} at {item.span.from_ns / 1e9:.2f} s"
        for item in original_flaws
    ]
    return f"{flaw.text.rstrip('.')}, after {plain(listed(sorted(set(names))))}."
