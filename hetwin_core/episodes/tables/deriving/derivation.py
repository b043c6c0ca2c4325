"""Derives all tables of a run or a log, in one pass over its states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.concern_words import ROBOT_HEALTH, TOUCH_ENDED
from hetwin_core.ensemble.events import ANNOUNCED, EventKind, Json, arguments_from_text
from hetwin_core.ensemble.limits import parse_json
from hetwin_core.ensemble.scene.layout import Layout, Slot, layout_from_json
from hetwin_core.ensemble.scene.values import Floats, Meaning
from hetwin_core.episodes.following.log_file import Chunk, LogFile, Place
from hetwin_core.episodes.following.states import Definitions, StateReader, States
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.deriving.beliefs import (
    LATE_NS,
    BeliefBook,
    BeliefReader,
    PoseErrors,
)
from hetwin_core.episodes.tables.deriving.book import Batch, Book, Mask, Numbers, SceneIndex
from hetwin_core.episodes.tables.deriving.motion import Motion, Pair, Places, static_contacts
from hetwin_core.episodes.tables.deriving.tasks import TaskBook
from hetwin_core.episodes.tables.deriving.touching import HELD_ON_NS, Handling, Touching
from hetwin_core.episodes.tables.lists import BeliefColumns, Stretch
from hetwin_core.episodes.tables.poses import Piece, Timeline
from hetwin_core.episodes.tables.rows import BORNE, DERIVED_EVENTS

_DERIVED = frozenset({"contact", "on", BORNE, "attached", "loc", "moving"})
"""Fluents that are derived from the states, even if an attribute has the same name."""
_NONE, _YES = -1, -2
_HELD, _HELD_OBJECT, _GRASPED = "held", "held_object", "grasped"


class BooleanFluents:
    """Adds an occasion, named like the attribute, for each interval in which an attribute is true or names an entity.

    ``held(object, hand)`` comes from an attribute of the object if there is one, else from the hand's
    ``held_object``.

    Args:
        layout: layout of the scene.
        book: receives the occasions.
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
        """Add the next states; return object -> (n,) whether it is held, for objects that are held in some of them."""
        if not self._slots:
            return {}
        now = self._decode(batch.states.values[:, self._columns])
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

    def _decode(self, values: Floats) -> Numbers:
        """(n, k) value of each attribute: the index of the named entity, `_YES` for true, `_NONE` for none or false."""
        finite = np.where(np.isfinite(values), values, -1.0)
        named = np.where(finite < len(self._layout.entities), finite, -1.0).astype(np.int64)
        codes = np.where(finite > 0.5, _YES, _NONE)
        return np.where(self._names_entity, np.maximum(named, _NONE), codes)

    def _begin(self, column: int, value: int, time_ns: int) -> list[Stretch]:
        slot = self._slots[column]
        other = "" if value == _YES else self._layout.entities[value].name
        name = slot.attribute.name
        opened = [self._book.begin_occasion(name, slot.entity, other, time_ns)]
        if self._by_hand and name == _HELD_OBJECT and other:
            opened.append(self._book.begin_occasion(_HELD, other, slot.entity, time_ns))
        return opened


def _is_truth(slot: Slot) -> bool:
    attribute = slot.attribute
    is_one = attribute.size == 1 and attribute.meaning in (Meaning.TRUTH, Meaning.ENTITY)
    return is_one and attribute.name not in _DERIVED


DROPPED = "dropped"


class Drops:
    """Adds ``dropped(object, hand)``, from a drop event until a hand holds the object again.

    Args:
        layout: layout of the scene.
        book: receives the occasions.

    Attributes:
        known: set with the fluent's name if a model of the run observes the hands; else the empty set.
    """

    def __init__(self, layout: Layout, book: Book) -> None:
        self._book = book
        self._open: dict[str, Stretch] = {}
        held = any(slot.attribute.name == _HELD for slot in layout.slots)
        self.known = {DROPPED} if held else set()

    def add_event(self, name: str, time_ns: int, arguments: Mapping[str, Json]) -> None:
        """Add an event of a model."""
        object_name, hand = str(arguments.get("object")), str(arguments.get("hand") or "")
        if name == DROPPED and object_name not in self._open:
            self._open[object_name] = self._book.begin_occasion(DROPPED, object_name, hand, time_ns)
        elif name == _GRASPED and object_name in self._open:
            self._open.pop(object_name).to_ns = time_ns


_STATES_AHEAD = 12
"""Number of further states after which the start or end of an occasion is final."""


class Derivation:
    """Processes the states and events of a run, each once.

    Args:
        layout: layout of the scene.

    Attributes:
        timeline: times of all states.
        pieces: locations of the chunks of states.
        book: occasions and events.
        tasks: tasks of the robot's program.
        errors: errors of believed poses.
        beliefs: beliefs of the robot.
        latest_ns: the latest time so far.
        unknown_contacts: pairs of static bodies whose contact is unknown.
    """

    def __init__(self, layout: Layout) -> None:
        self.timeline = Timeline()
        self.pieces: list[Piece] = []
        self.book = Book()
        self.tasks = TaskBook()
        self._index = SceneIndex(layout)
        self.errors = PoseErrors(self._index, self.book)
        self.beliefs = BeliefBook(self.book, self.errors)
        self.latest_ns = 0
        self._touching = Touching(self._index, self.book)
        self._handling = Handling(self._index, self.book)
        self._motion = Motion(self._index, self.book)
        self._places = Places(self._index, self._motion.ids, self.book)
        self._truths = BooleanFluents(layout, self.book)
        self._drops = Drops(layout, self.book)
        self.unknown_contacts: frozenset[Pair] = frozenset()

    @property
    def recorded(self) -> frozenset[str]:
        """The fluents about the world that the run records."""
        touching = {"contact", "on", BORNE, "attached"} if self._touching.seen else set()
        moving = {"moving", "loc"} if self._motion.known else set()
        return frozenset(touching | moving | self._drops.known) | self._truths.fluents

    @property
    def certain_ns(self) -> int:
        """Time up to which all occasions are final."""
        return self.timeline.time(max(0, len(self.timeline) - 1 - _STATES_AHEAD))

    @property
    def known_until_ns(self) -> int:
        """Time up to which occasions, beliefs and errors of poses are final."""
        newest = self.timeline.time(len(self.timeline) - 1)
        return max(min(self.certain_ns, newest - LATE_NS), self.timeline.time(0))

    def finish(self) -> None:
        """Complete the occasions and errors that were pending."""
        self._handling.update(self.latest_ns + HELD_ON_NS)
        self.errors.settle(self.latest_ns)

    def add_states(self, states: States, place: Place) -> Batch:
        """Add the next states.

        Args:
            states: at least one.
            place: location from which they can be read again.
        """
        first = len(self.timeline)
        self.timeline.add(states.times)
        self.pieces.append(Piece(first, place))
        self.latest_ns = max(self.latest_ns, int(states.times[-1]))
        batch = Batch(states, first, self.timeline, self._index)
        if not first:
            self._add_static_contacts(batch)
        held = self._truths.update(batch)
        self._touching.update(batch)
        still = self._motion.update(batch)
        self._places.update(batch, still, held)
        self._handling.update(self.certain_ns)
        return batch

    def _add_static_contacts(self, batch: Batch) -> None:
        """Add the contacts of static bodies in the first state, which last for the whole run."""
        found = static_contacts(self._index.layout, batch.states.values[0])
        self.unknown_contacts = found.unknown_contacts
        for fluent, pairs in (("contact", found.contact), ("on", found.on), (BORNE, found.on)):
            for a, b in pairs:
                self.book.begin_occasion(fluent, a, b, batch.timeline.time(0))

    def add_beliefs(self, beliefs: BeliefColumns) -> None:
        """Add beliefs."""
        self.latest_ns = max(self.latest_ns, self.beliefs.add(beliefs))

    def add_event(
        self, name: str, kind: str, source: str, time_ns: int, arguments: Mapping[str, Json]
    ) -> None:
        """Add an event.

        Raises:
            ValueError: if it is an action annotation with an invalid status.
        """
        self.latest_ns = max(self.latest_ns, time_ns)
        is_action = kind == EventKind.ACTION
        if is_action and arguments.get("phase") == ANNOUNCED:
            return  # nothing has happened yet
        if is_action:
            self.tasks.annotation(name, time_ns, arguments)
        # Tasks have their own table.
        if kind != EventKind.TASK and not (is_action and name in DERIVED_EVENTS):
            self.book.add_event(time_ns, name, arguments, source)
        if kind == EventKind.MODEL:
            self._drops.add_event(name, time_ns, arguments)
        if name == TOUCH_ENDED and source == ROBOT_HEALTH:
            self._touching.add_reported(arguments)


class RunRegistry:
    """Layout and models of a run, from its registry."""

    def __init__(self, registry: Any) -> None:
        self.layout: Layout = layout_from_json(parse_json(registry.layout))
        self.models: tuple[str, ...] = tuple(model.name for model in registry.models)


class Deriver(Derivation):
    """Processes the chunks of a log, each once.

    Args:
        file: the log.
        definitions: its types.
        scene: layout and models from its registry.

    Attributes:
        reader: decodes states.
    """

    def __init__(self, file: LogFile, definitions: Definitions, scene: RunRegistry) -> None:
        super().__init__(scene.layout)
        self._definitions = definitions
        self.reader = StateReader(scene.layout, file, definitions)
        self._beliefs = BeliefReader(definitions, self.beliefs.claims)

    def add(self, chunk: Chunk) -> States | None:
        """Add a chunk, and return its states.

        Raises:
            Exception: of any type, if a message does not match its definition.
        """
        states = self.reader.read(chunk)
        batch = None if states is None else self.add_states(states, chunk.place)
        for message in self._definitions.messages(chunk, topics.EVENTS.logged_name):
            arguments, time_ns = arguments_from_text(message.arguments), nanoseconds(message.stamp)
            self.add_event(message.name, message.kind, message.source, time_ns, arguments)
        for message in self._definitions.messages(chunk, topics.TASKS.logged_name):
            self.tasks.message(message)
        self.add_beliefs(self._beliefs.read(chunk))
        if batch is not None:
            self.errors.update(batch)
        return states
