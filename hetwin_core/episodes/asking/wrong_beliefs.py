"""Reads when a belief was wrong: held by the robot, and not true in the world."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_core.episodes.asking.belief import Beliefs
from hetwin_core.episodes.asking.entities import Entities
from hetwin_core.episodes.asking.evidence import of_error
from hetwin_core.episodes.asking.intervals import Intervals
from hetwin_core.episodes.asking.reading import Binding, Reading, entity_of
from hetwin_core.episodes.asking.terms import Atom, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.asking.truths import UNKNOWN, Truths
from hetwin_core.episodes.asking.world import World
from hetwin_core.episodes.tables.rows import BeliefError, Interval
from hetwin_core.episodes.tables.tables import Tables


class WrongBeliefs:
    """Reads the paper's IncorrectBelief.

    Args:
        tables: of the episode.
        entities: of the episode.
        world: reads what held.
        beliefs: reads what was believed.
    """

    def __init__(self, tables: Tables, entities: Entities, world: World, beliefs: Beliefs) -> None:
        self._tables = tables
        self._entities = entities
        self._world = world
        self._beliefs = beliefs

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when a belief was wrong; variables without a binding stand for any entity."""
        if atom.place is not None:
            return self._of_place(atom, binding, span)
        if not self._beliefs.told(atom.name, entity_of(atom.arguments[0], binding)):
            return Reading(UNKNOWN, ())
        rows = list(self._rows(atom, binding))
        true = Intervals(self._open(row) for row in rows)
        world = self._world.read(atom, binding, span)
        believed = self._beliefs.read(atom, binding, span).truths.true
        unseen = (believed & Intervals(b.span for b in world.blind)) - world.truths.true
        known = Truths.known(true, whole(self._tables)) - unseen
        return Reading(known, tuple(map(of_error, rows)), world.blind)

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom about which a belief was wrong at some time."""
        if atom.place is not None:
            return self._beliefs.bindings(atom)
        found: dict[tuple[tuple[str, str], ...], Binding] = {}
        for row in self._rows(atom, {}):
            pairs = zip(atom.arguments, (row.a, row.b), strict=False)
            one = {v.name: entity for v, entity in pairs if isinstance(v, Variable)}
            found.setdefault(tuple(one.items()), one)
        return list(found.values())

    def state(self, state: State, span: Interval) -> Reading:
        """Refuse, as there are no beliefs about states."""
        return self._beliefs.state(state, span)

    def _of_place(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        believed = self._beliefs.read(atom, binding, span)
        world = self._world.read(atom, binding, span)
        return Reading(believed.truths & ~world.truths, (*believed.evidence, *world.evidence))

    def _rows(self, atom: Atom, binding: Binding) -> Iterator[BeliefError]:
        wanted = [entity_of(argument, binding) for argument in atom.arguments]
        names = [None if w is None else self._entities.meant(w, "") for w in wanted]
        for row in self._tables.belief_errors:
            pairs = zip((row.a, row.b), names, strict=False)
            if row.fluent == atom.name and all(n is None or e in n for e, n in pairs):
                yield row

    def _open(self, row: BeliefError) -> tuple[int, int]:
        last = row.span.to_ns >= self._tables.known_until_ns
        return row.span.from_ns, self._tables.known_until_ns + 1 if last else row.span.to_ns
