"""Truths that models provide as attributes, and what lies where it fell from a hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.layout import Layout, Slot
from hetwin_core.ensemble.scene.values import Floats, Meaning
from hetwin_core.episodes.tables.deriving.book import Batch, Book, Mask, Numbers
from hetwin_core.episodes.tables.lists import Stretch
from hetwin_core.episodes.tables.rows import BORNE

_DERIVED = frozenset({"contact", "on", BORNE, "attached", "loc", "moving"})
"""These follow from the states, whatever an attribute is called."""
_NONE, _YES = -1, -2
_HELD, _HELD_OBJECT = "held", "held_object"


class Truths:
    """Enters every truth, and everything that names an entity, as an occasion of the attribute's name.

    ``held(object, hand)`` is the attribute of the object if there is one, else what a hand's ``held_object`` names.

    Args:
        layout: of the scene.
        book: to enter them in.
    """

    def __init__(self, layout: Layout, book: Book) -> None:
        self._layout = layout
        self._book = book
        slots = [slot for slot in layout.slots if _is_truth(slot)]
        self._slots: Sequence[Slot] = slots
        self._columns = np.array([slot.offset for slot in slots], np.int64)
        self._names_entity = np.array(
            [slot.attribute.meaning is Meaning.ENTITY for slot in slots], np.bool_
        )
        self._by_hand = not any(slot.attribute.name == _HELD for slot in slots)
        self._last: Numbers = np.full(len(slots), _NONE, np.int64)
        self._open: dict[int, list[Stretch]] = {}

    @property
    def fluents(self) -> frozenset[str]:
        """Names of all fluents that the models provide."""
        names = {slot.attribute.name for slot in self._slots}
        return frozenset(names | ({_HELD} if self._by_hand and _HELD_OBJECT in names else set()))

    def update(self, batch: Batch) -> dict[str, Mask]:
        """Look at the states that follow; returns object -> (n,) whether it is held, for objects that are at times."""
        if not self._slots:
            return {}
        now = self._meant(batch.states.values[:, self._columns])
        before = np.vstack((self._last, now[:-1]))
        for state, column in np.argwhere(now != before).tolist():
            time_ns = int(batch.states.times[state])
            for stretch in self._open.pop(column, ()):
                stretch.to_ns = time_ns
            if now[state, column] != _NONE:
                self._open[column] = self._begin(column, int(now[state, column]), time_ns)
        self._last = now[-1]
        return self._held(now)

    def _held(self, now: Numbers) -> dict[str, Mask]:
        held: dict[str, Mask] = {}
        for column, slot in enumerate(self._slots):
            values = now[:, column]
            if slot.attribute.name == _HELD and (values != _NONE).any():
                held[slot.entity] = values != _NONE
            elif self._by_hand and slot.attribute.name == _HELD_OBJECT:
                for value in np.unique(values[values >= 0]).tolist():
                    held[self._layout.entities[value].name] = values == value
        return held

    def _meant(self, values: Floats) -> Numbers:
        """(n, k) index of the named entity, or whether it is true."""
        finite = np.where(np.isfinite(values), values, -1.0)
        named = np.where(finite < len(self._layout.entities), finite, -1.0).astype(np.int64)
        truths = np.where(finite > 0.5, _YES, _NONE)
        return np.where(self._names_entity, np.maximum(named, _NONE), truths)

    def _begin(self, column: int, value: int, time_ns: int) -> list[Stretch]:
        slot = self._slots[column]
        other = "" if value == _YES else self._layout.entities[value].name
        name = slot.attribute.name
        begun = [self._book.begin_occasion(name, slot.entity, other, time_ns)]
        if self._by_hand and name == _HELD_OBJECT and other:
            begun.append(self._book.begin_occasion(_HELD, other, slot.entity, time_ns))
        return begun


def _is_truth(slot: Slot) -> bool:
    attribute = slot.attribute
    is_one = attribute.size == 1 and attribute.meaning in (Meaning.TRUTH, Meaning.ENTITY)
    return is_one and attribute.name not in _DERIVED


DROPPED = "dropped"


class Drops:
    """Enters ``dropped(object, hand)`` from when an object has fallen until a hand holds it again, as events tell.

    Args:
        layout: of the scene.
        book: to enter them in.

    Attributes:
        known: its name, if a model of the run observes what hands hold.
    """

    def __init__(self, layout: Layout, book: Book) -> None:
        self._book = book
        self._open: dict[str, Stretch] = {}
        held = any(slot.attribute.name == "held" for slot in layout.slots)
        self.known = {DROPPED} if held else set()

    def happen(self, name: str, time_ns: int, arguments: Mapping[str, Json]) -> None:
        """Take in an event of a model."""
        thing, hand = str(arguments.get("object")), str(arguments.get("hand") or "")
        if name == DROPPED and thing not in self._open:
            self._open[thing] = self._book.begin_occasion(DROPPED, thing, hand, time_ns)
        elif name == "grasped" and thing in self._open:
            self._open.pop(thing).to_ns = time_ns
