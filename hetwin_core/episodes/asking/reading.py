"""Readers of atoms, in the world or as the robot believes: from rows that say when they were true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.rotations import angles_between
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.asking.answer import Evidence
from hetwin_core.episodes.asking.names import Entities, Vocabulary
from hetwin_core.episodes.asking.terms import ANY, Argument, Atom, Place, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.tables.intervals import UNKNOWN, Intervals, Truths
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables
from hetwin_core.episodes.tables.unseen import Blind

FULL = 7
"""Numbers of a place with an orientation."""
Names = frozenset[str] | None
"""Entities that an argument stands for; None: any."""


Binding: TypeAlias = Mapping[str, str]
"""Variable -> entity."""


class Reading(NamedTuple):
    """What was read.

    Attributes:
        truths: when it is true and when it is false; it may say nothing outside of the interval that was asked for.
        evidence: rows that say so.
        blind: where it was not seen, and why.
    """

    truths: Truths
    evidence: tuple[Evidence, ...]
    blind: tuple[Blind, ...] = ()


class Reader(Protocol):
    """Reads atoms and states.

    Attributes:
        in_parts: fluents that are read only for the interval that is asked for.
    """

    in_parts: frozenset[str]

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; variables without a binding stand for any entity."""

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom with which it is true at some time."""

    def state(self, state: State, span: Interval) -> Reading:
        """Return when a condition on the state is true."""


def entity_of(argument: Argument, binding: Binding) -> str | None:
    """Return the entity that an argument stands for; None for any."""
    if isinstance(argument, Variable):
        return binding.get(argument.name)
    return argument


class Row(NamedTuple):
    """When a fluent was true of two entities, and the row that says so."""

    a: str
    b: str
    from_ns: int
    to_ns: int
    evidence: Evidence


class Source:
    """Reads atoms from rows that say when they were true.

    Args:
        tables: of the episode.
        entities: of the episode.
        vocabulary: of the episode.
    """

    in_parts: frozenset[str] = frozenset()
    """Fluents of which there may be hundreds of thousands of rows, which are read for the time that is asked for."""

    def __init__(self, tables: Tables, entities: Entities, vocabulary: Vocabulary) -> None:
        self._tables = tables
        self._entities = entities
        self._vocabulary = vocabulary

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; variables without a binding stand for any entity."""
        if atom.place is not None:
            return self._near(atom, atom.place, binding, self._inside(span))
        blind = self._blind(atom, binding)
        if not self._is_known(atom, binding):
            return Reading(UNKNOWN, (), blind)
        within = self._inside(span) if atom.name in self.in_parts else whole(self._tables)
        rows = list(self._rows(atom, binding, within))
        true = Intervals((row.from_ns, row.to_ns) for row in rows)
        unseen = self._unseen(atom, binding, blind) if blind else Intervals()
        known = Truths.known(true, within) - unseen
        return Reading(known, tuple(row.evidence for row in rows), blind)

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom with which it is true at some time."""
        found: dict[tuple[tuple[str, str], ...], Binding] = {}
        for row in self._rows(atom, {}, whole(self._tables)):
            for entities in self._orders(atom, row):
                one = bound(atom.arguments, entities)
                if one is not None:
                    found.setdefault(tuple(one.items()), one)
        return list(found.values())

    def state(self, state: State, span: Interval) -> Reading:
        """Refuse: there is no state of the scene as the robot believes it.

        Raises:
            BadInput: always.
        """
        raise BadInput(
            "a condition on the state is about the world, not about beliefs",
            found=state.text,
            expected='a fluent, e.g. loc("box", {"near": [0.45, 0.2, 0.8], "within": 0.02})',
        )

    def _rows(self, atom: Atom, binding: Binding, span: Interval) -> Iterable[Row]:
        raise NotImplementedError

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        raise NotImplementedError

    def _is_known(self, atom: Atom, binding: Binding) -> bool:
        raise NotImplementedError

    def _blind(self, atom: Atom, binding: Binding) -> tuple[Blind, ...]:
        """Where it was not seen whether an atom is false."""
        return ()

    def _unseen(self, atom: Atom, binding: Binding, blind: Sequence[Blind]) -> Intervals:
        """When an atom that is not true is not known to be false."""
        return Intervals(one.span for one in blind)

    def _orders(self, atom: Atom, row: Row) -> tuple[tuple[str, str], ...]:
        """Return the entities of a row in the orders in which variables may stand for them."""
        return ((row.a, row.b),)

    def _names(self, atom: Atom, index: int, binding: Binding) -> Names:
        """Return what an argument stands for where something touches it."""
        argument = atom.arguments[index] if index < len(atom.arguments) else ANY
        entity = entity_of(argument, binding)
        if entity is None or isinstance(argument, Variable):
            return None if entity is None else frozenset({entity})
        return self._entities.meant(entity, atom.name)

    def _inside(self, span: Interval) -> Interval:
        known = whole(self._tables)
        return Interval(max(span.from_ns, known.from_ns), min(span.to_ns, known.to_ns))

    def _until(self, to_ns: int) -> int:
        """Return when something ends; what has not ended holds at the last moment of the log, too."""
        last = self._tables.known_until_ns
        return last + 1 if to_ns >= last else to_ns


def compared(
    poses: Floats, place: Place, near: Floats
) -> tuple[NDArray[np.bool_], Floats, list[int]]:
    """Compare poses with a place.

    Args:
        poses: (n, 7) or more, x y z [m] and qw qx qy qz.
        place: with its limits.
        near: (2,), (3,) or (7,), or one for each pose, (n, 3).

    Returns:
        (n,) whether each is near, (n,) how far it is [m], and the numbers of those that show it best.
    """
    size = min(near.shape[-1], 3)
    distance = np.linalg.norm(poses[:, :size] - near[..., :size], axis=1)
    holds = distance <= place.within
    if near.shape[-1] >= FULL and not isinstance(place.near, str):
        holds &= angles_between(poses[:, 3:7], near[..., 3:7]) <= place.turned
    changes = np.flatnonzero(np.diff(holds)) + 1
    chosen = sorted({0, int(np.argmax(distance)), len(poses) - 1, *changes.tolist()})
    return np.asarray(holds, np.bool_), distance, chosen


def fits(entity: str, names: Names) -> bool:
    """Return whether an entity is among some names."""
    return names is None or entity in names


def bound(arguments: tuple[Argument, ...], entities: tuple[str, str]) -> Binding | None:
    """Return what variables stand for; None if the same one would stand for two entities."""
    found: dict[str, str] = {}
    for argument, entity in zip(arguments, entities, strict=False):
        if isinstance(argument, Variable) and found.setdefault(argument.name, entity) != entity:
            return None
    return found
