"""When terms hold, in the world and in beliefs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import count, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.asking.answer import Answer, Evidence, in_order
from hetwin_core.episodes.asking.names import SUPPORTING, Entities, Vocabulary
from hetwin_core.episodes.asking.reading import Binding, Reading, Source
from hetwin_core.episodes.asking.terms import (
    ANY,
    Argument,
    Atom,
    Both,
    Either,
    Negation,
    State,
    Term,
    Variable,
)
from hetwin_core.episodes.asking.times import AskedTime, Sort, Window, whole, window
from hetwin_core.episodes.tables.intervals import Intervals, Truths, union
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables, UnobservedInterval

POSES = "poses"


class FoundBinding:
    """When a term holds for one binding.

    Args:
        binding: the entities.
        reading: when it is true or false, the supporting rows, and when it was not observed.
    """

    def __init__(self, binding: Binding, reading: Reading) -> None:
        self.binding = binding
        self.truths = reading.truths
        self.blind: tuple[UnobservedInterval, ...] = reading.blind
        self._evidence = reading.evidence

    def overlapping(self, window: Window, known: Interval) -> Iterator[Evidence]:
        """Yield the rows that overlap a window, and all states, which were measured for it even if they precede it.

        Args:
            window: the window.
            known: interval of the whole episode; intervals that last until its end are open there.
        """
        begins, ends, states = self._columns
        last = known.to_ns - 1
        overlap = (begins < window.span.to_ns) & (ends > window.span.from_ns)
        if window.span.to_ns > last:
            overlap |= ends >= last
        for index in np.flatnonzero(overlap | states).tolist():
            yield self._evidence[index]

    @cached_property
    def _columns(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
        """(n,) starts and ends [ns] of all rows, at least 1 ns apart, and whether they are states."""
        spans = np.array([row.span for row in self._evidence], np.int64).reshape(-1, 2)
        states = np.array([row.table == POSES for row in self._evidence], np.bool_)
        return spans[:, 0], np.maximum(spans[:, 1], spans[:, 0] + 1), states


def is_read_whole(term: Term, in_parts: frozenset[str]) -> bool:
    """Return whether a term is evaluated for a whole episode at once: without places, states and partial fluents."""
    return all(
        isinstance(leaf, Atom) and leaf.place is None and leaf.name not in in_parts
        for leaf in term.leaves()
    )


HAND = "hand"
"""Argument of a fluent that must be a hand."""

MAX_BINDINGS = 10_000
"""Maximum number of bindings of a term; a term with more is refused, because it would take too long."""

MAX_CACHED_TERMS = 200
"""Maximum number of cached terms; the oldest is removed first."""


class _Result(NamedTuple):
    """When a term holds for any entities, the single bindings, and when it was not observed."""

    total: Truths
    found: list[FoundBinding]
    blind: tuple[UnobservedInterval, ...]


class Holding:
    """When terms hold, in the world or in the robot's beliefs.

    Args:
        tables: tables of the episode.
        reader: reads the world or beliefs.
        vocabulary: vocabulary of the episode.
        entities: its entities.
    """

    def __init__(
        self, tables: Tables, reader: Source, vocabulary: Vocabulary, entities: Entities
    ) -> None:
        self._tables = tables
        self._reader = reader
        self._vocabulary = vocabulary
        self._entities = entities
        self._known = whole(tables)
        self._cache: dict[Term, _Result] = {}

    def holds(self, term: Term, when: AskedTime) -> Answer:
        """Return whether a term holds at a time.

        Raises:
            BadInput: if a fluent, an entity or the time is unknown.
        """
        return self._answer(term, window(when, self._tables))

    def where(self, term: Term, during: AskedTime | None = None) -> Answer:
        """Return when a term holds, in an interval or the whole episode.

        Raises:
            BadInput: as `holds`.
        """
        return self._answer(term, some_time(during, self._tables))

    def _answer(self, term: Term, window: Window) -> Answer:
        total, found, unseen = self._evaluate(term, window.span)
        true = [one for one in found if _decide(one.truths, window) is True]
        rows = (row for one in true or found for row in one.overlapping(window, self._known))
        truth = _decide(total, window)
        blind = unseen if truth is None else ()
        why = dict.fromkeys(b.why for b in blind if _overlap(b.span, window.span))
        return Answer(
            truth,
            _answer_intervals(total.true, window, self._known),
            tuple(one.binding for one in true if one.binding),
            in_order(rows),
            tuple(why) or (self._reasons_after_end(window) if truth is None else ()),
        )

    def _reasons_after_end(self, window: Window) -> tuple[str, ...]:
        """Return the reason why something is unknown after the end of the log."""
        known_s = (self._known.to_ns - 1) / 1e9
        if window.span.to_ns <= self._known.to_ns:
            return ()
        return (say("question.known_until", until=known_s),)

    def _evaluate(self, term: Term, span: Interval) -> _Result:
        """Return when a term holds for any entities, and for which; terms for the whole episode are cached.

        Entities that were not observed may be among those for which the term holds: it is then unknown instead of
        false.
        """
        is_cached = is_read_whole(term, self._reader.in_parts)
        if is_cached and term in self._cache:
            return self._cache[term]
        checked, bindings = self._checked(term)
        read = [(binding, self._read(checked, binding, span)) for binding in bindings]
        found = [FoundBinding(binding, reading) for binding, reading in read]
        true = union(one.truths.true for one in found)
        total = Truths(true, _intersection(one.truths.false for one in found))
        blind = [b for one in found for b in one.blind]
        if any(bindings):
            others = self._read(checked, {}, span)
            unseen = Intervals(b.span for b in others.blind) - others.truths.false
            total, blind = total - unseen, [*blind, *others.blind]
        held = _Result(total, found, tuple(blind))
        if is_cached:
            self._cache[term] = held
            if len(self._cache) > MAX_CACHED_TERMS:
                del self._cache[next(iter(self._cache))]
        return held

    def _read(self, term: Term, binding: Binding, span: Interval) -> Reading:
        match term:
            case Atom():
                return self._reader.read(term, binding, span)
            case State():
                return self._reader.state(term, span)
            case Both() | Either():
                one = self._read(term.one, binding, span)
                two = self._read(term.two, binding, span)
                both = isinstance(term, Both)
                truths = one.truths & two.truths if both else one.truths | two.truths
                evidence = (*one.evidence, *two.evidence)
                return Reading(truths, evidence, (*one.blind, *two.blind))
            case Negation():
                read = self._read(term.of, binding, span)
                return read._replace(truths=~read.truths)
        raise BadInput(
            "this is not a fluent", found=term, expected='a term such as on("box", "tray")'
        )

    def _checked(self, term: Term) -> tuple[Term, list[Binding]]:
        """Return a checked term, and all bindings of its variables for which it may be true; at least one.

        Named variables that occur only in a negation range over all entities; other variables stay unbound there.
        """
        atoms = (leaf for leaf in term.leaves() if isinstance(leaf, Atom))
        named = {v.name for atom in atoms for v in _variables(atom) if v.name}
        checked = term.mapped(partial(self._atom, {name: count(2) for name in named}))
        found = list(islice(self._candidates(checked), MAX_BINDINGS + 1))
        for name in sorted(named):
            found = list(islice(self._bind_to_all(found, name), MAX_BINDINGS + 1))
        if len(found) > MAX_BINDINGS:
            raise BadInput(
                "there are too many combinations of entities",
                found=str(term),
                expected=f"at most {MAX_BINDINGS} combinations of entities for its variables",
            )
        return checked, found or [{}]

    def _bind_to_all(self, found: list[Binding], name: str) -> Iterator[Binding]:
        for binding in found:
            if name in binding:
                yield binding
            else:
                yield from ({**binding, name: entity} for entity in self._entities.names)

    def _candidates(self, term: Term) -> Iterator[Binding]:
        match term:
            case Atom() if any(v.name for v in _variables(term)):
                yield from self._reader.bindings(term)
            case Both():
                others = list(self._candidates(term.two))
                for one in self._candidates(term.one):
                    for two in others:
                        if all(one.get(name, entity) == entity for name, entity in two.items()):
                            yield {**one, **two}
            case Either():
                seen: dict[frozenset[tuple[str, str]], Binding] = {}
                for binding in (*self._candidates(term.one), *self._candidates(term.two)):
                    seen.setdefault(frozenset(binding.items()), binding)
                yield from seen.values()
            case _:
                yield {}

    def _atom(self, used: dict[str, Iterator[int]], atom: Atom, positive: bool) -> Atom:
        """Return an atom with checked fluent and entities, and names for its variables.

        Inside a negation, `ANY` stays unbound: it means that there is no such entity.
        """
        if atom.name == SUPPORTING:
            swapped = tuple(reversed((*atom.arguments, ANY)[:2]))
            atom = Atom("on", swapped, atom.place)
        fluent = self._vocabulary.fluent(atom.name)
        if not 0 < len(atom.arguments) <= len(fluent.arguments):
            raise BadInput(
                "this fluent has other arguments",
                found=str(atom),
                expected=f"{atom.name}({', '.join(fluent.arguments)})",
            )
        named: list[Argument] = []
        for argument, name in zip(atom.arguments, fluent.arguments, strict=False):
            if isinstance(argument, str):
                if name == HAND:
                    self._entities.check_kind(
                        argument, (EntityKind.HAND,), f"{name} of {atom.name}"
                    )
                named.append(self._entities.known(argument))
            elif isinstance(argument, Variable) and argument.name:
                named.append(argument)
            elif isinstance(argument, Variable):
                named.append(Variable(_unused_name(name, used)) if positive else argument)
            else:
                raise BadInput(
                    "an argument of a fluent must be an entity",
                    found=argument,
                    expected=f'names in quotes, or any: {atom.name}("{self._entities.names[0]}")',
                )
        return Atom(atom.name, tuple(named), atom.place)


def _unused_name(name: str, used: dict[str, Iterator[int]]) -> str:
    number = next(used.setdefault(name, count(1)))
    return name if number == 1 else f"{name}{number}"


def _variables(atom: Atom) -> list[Variable]:
    return [argument for argument in atom.arguments if isinstance(argument, Variable)]


def _overlap(one: Interval, other: Interval) -> bool:
    return one.from_ns < other.to_ns and other.from_ns < one.to_ns


def _intersection(sets: Iterable[Intervals]) -> Intervals:
    total: Intervals | None = None
    for intervals in sets:
        total = intervals if total is None else total & intervals
    return total if total is not None else Intervals()


def _decide(truths: Truths, window: Window) -> bool | None:
    match window.sort:
        case Sort.AT:
            return truths.at(window.span.from_ns)
        case Sort.DURING:
            return truths.during(window.span)
    return truths.throughout(window.span)


def _answer_intervals(true: Intervals, window: Window, known: Interval) -> Intervals:
    """Return the intervals of an answer; those that are still open end at the log's last moment."""
    if window.sort is Sort.AT:
        around = true.around(window.span.from_ns)
        return Intervals([_clipped(around, known)] if around else [])
    last = window.span.to_ns - 1
    return Intervals(
        _clipped(Interval(part.from_ns, max(min(part.to_ns, last), part.from_ns + 1)), known)
        for part in true.within(window.span)
    )


def _clipped(part: Interval, known: Interval) -> Interval:
    """Return an interval that ends at the end of the log at the latest, and is never empty."""
    end = min(part.to_ns, known.to_ns - 1)
    return Interval(part.from_ns, max(end, part.from_ns + 1))


def some_time(when: AskedTime | None, tables: Tables) -> Window:
    """Return the window of any time within `when`; None: the whole episode."""
    if when is None:
        return Window(Sort.DURING, whole(tables))
    found = window(when, tables)
    return found if found.sort is Sort.AT else Window(Sort.DURING, found.span)
