"""Reads what held in the world."""

from __future__ import annotations

from collections.abc import Iterator

from hetwin_core.episodes.asking.entities import Entities
from hetwin_core.episodes.asking.evidence import of_occasion
from hetwin_core.episodes.asking.intervals import Intervals
from hetwin_core.episodes.asking.places import WorldPlaces
from hetwin_core.episodes.asking.reading import Binding, Reading, entity_of
from hetwin_core.episodes.asking.states import StateReader
from hetwin_core.episodes.asking.terms import Argument, Atom, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.asking.truths import UNKNOWN, Truths
from hetwin_core.episodes.asking.vocabulary import Vocabulary
from hetwin_core.episodes.tables.rows import Interval, Occasion
from hetwin_core.episodes.tables.tables import Tables
from hetwin_core.episodes.tables.unseen import Blind

LOC = "loc"
Names = frozenset[str] | None
"""Entities that an argument stands for; None: any."""
_ONCE = ("a", "b")
"""Variables of the arguments of a symmetric fluent themselves; each pair is bound once."""


class World:
    """Reads occasions of the world.

    Args:
        tables: of the episode.
        entities: of the episode.
        vocabulary: of the episode.
    """

    def __init__(self, tables: Tables, entities: Entities, vocabulary: Vocabulary) -> None:
        self._tables = tables
        self._entities = entities
        self._vocabulary = vocabulary
        self._places = WorldPlaces(tables, entities)
        self._states = StateReader(tables)

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; variables without a binding stand for any entity."""
        if atom.name == LOC:
            return self._places.read(atom, binding, span)
        if atom.name not in self._tables.recorded:
            return Reading(UNKNOWN, (), (Blind(whole(self._tables), _no_model(atom.name)),))
        rows = [row for row, _, _ in self._rows(atom, binding)]
        true = Intervals(self._open(row) for row in rows)
        names = (self._names(atom, index, binding) for index in (0, 1))
        blind = tuple(self._tables.unseen.of(atom.name, *names))
        known = Truths.known(true, whole(self._tables)) - Intervals(one.span for one in blind)
        return Reading(known, tuple(map(of_occasion, rows)), blind)

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom with which it is true at some time."""
        if atom.name == LOC:
            return self._places.bindings(atom)
        found: dict[tuple[tuple[str, str], ...], Binding] = {}
        for _, a, b in self._rows(atom, {}):
            for entities in self._orders(atom, a, b):
                one = _bound(atom.arguments, entities)
                if one is not None:
                    found.setdefault(tuple(one.items()), one)
        return list(found.values())

    def state(self, state: State, span: Interval) -> Reading:
        """Return when a condition on the state is true."""
        return self._states.read(state, span)

    def _rows(self, atom: Atom, binding: Binding) -> Iterator[tuple[Occasion, str, str]]:
        """Yield the rows of an atom, with the entities that its arguments stand for there."""
        first, second = self._names(atom, 0, binding), self._names(atom, 1, binding)
        symmetric = self._vocabulary.fluent(atom.name).symmetric
        for row in self._found(atom.name, first, second):
            if _fits(row.a, first) and _fits(row.b, second):
                yield row, row.a, row.b
            elif symmetric and _fits(row.b, first) and _fits(row.a, second):
                yield row, row.b, row.a

    def _orders(self, atom: Atom, a: str, b: str) -> tuple[tuple[str, str], ...]:
        """Return the entities of a row in the orders in which variables may stand for them."""
        named = [v for v in atom.arguments if isinstance(v, Variable) and v.name not in _ONCE]
        both = len(named) == 2 and self._vocabulary.fluent(atom.name).symmetric
        return ((a, b), (b, a)) if both else ((a, b),)

    def _found(self, name: str, first: Names, second: Names) -> list[Occasion]:
        find = self._tables.occasions.find
        if first is not None and (second is None or len(first) <= len(second)):
            other = next(iter(second)) if second is not None and len(second) == 1 else None
            rows = [row for a in sorted(first) for row in find(name, a, other)]
        elif second is not None:
            other = next(iter(first)) if first is not None and len(first) == 1 else None
            rows = [row for b in sorted(second) for row in find(name, other, b)]
        else:
            return find(name)
        unique = {row.row: row for row in rows}
        return sorted(unique.values(), key=lambda row: (row.span.from_ns, row.row))

    def _names(self, atom: Atom, index: int, binding: Binding) -> Names:
        if index >= len(atom.arguments):
            return None
        argument = atom.arguments[index]
        entity = entity_of(argument, binding)
        if entity is None:
            return None
        if isinstance(argument, Variable):
            return frozenset({entity})
        return self._entities.meant(entity, atom.name)

    def _open(self, row: Occasion) -> tuple[int, int]:
        """Return when an occasion held; one that has not ended holds at the last moment of the log, too."""
        end = row.span.to_ns if row.ended else self._tables.known_until_ns + 1
        return row.span.from_ns, end


def _no_model(name: str) -> str:
    return f"nothing in this run observes {name}"


def _fits(entity: str, names: Names) -> bool:
    return names is None or entity in names


def _bound(arguments: tuple[Argument, ...], entities: tuple[str, str]) -> Binding | None:
    """Return what variables stand for; None if the same one would stand for two entities."""
    found: dict[str, str] = {}
    for argument, entity in zip(arguments, entities, strict=False):
        if isinstance(argument, Variable) and found.setdefault(argument.name, entity) != entity:
            return None
    return found
