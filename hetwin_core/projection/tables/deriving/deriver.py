"""Derives all tables of a log, chunk by chunk."""

from __future__ import annotations

import json
from typing import Any

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.event_codec import arguments_from_text
from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_from_json
from hetwin_core.projection.following.definitions import Definitions
from hetwin_core.projection.following.log_file import Chunk, LogFile
from hetwin_core.projection.following.states import StateReader, States
from hetwin_core.projection.messages import nanoseconds
from hetwin_core.projection.tables.deriving.beliefs import BeliefBook
from hetwin_core.projection.tables.deriving.book import Batch, Book
from hetwin_core.projection.tables.deriving.handling import HELD_ON_NS, Handling
from hetwin_core.projection.tables.deriving.motion import Motion
from hetwin_core.projection.tables.deriving.places import Places
from hetwin_core.projection.tables.deriving.pose_errors import LATE_NS, PoseErrors
from hetwin_core.projection.tables.deriving.scene_index import SceneIndex
from hetwin_core.projection.tables.deriving.tasks import TaskBook
from hetwin_core.projection.tables.deriving.touching import Touching
from hetwin_core.projection.tables.deriving.truths import Truths
from hetwin_core.projection.tables.poses import Piece
from hetwin_core.projection.tables.rows import DERIVED_EVENTS
from hetwin_core.projection.tables.timeline import Timeline

_STATES_AHEAD = 12
"""What begins or ends in a state is found at most so many states later."""


class Scene:
    """What the registry says of a run."""

    def __init__(self, registry: Any) -> None:
        self.layout: Layout = layout_from_json(json.loads(registry.layout))
        self.models: tuple[str, ...] = tuple(model.name for model in registry.models)


class Deriver:
    """Takes in the chunks of a log, each once.

    Args:
        file: the log.
        definitions: its types.
        scene: what is in it.

    Attributes:
        reader: decodes states.
        timeline: times of all states.
        pieces: chunks with states.
        book: occasions and events.
        tasks: what the robot's program does.
        beliefs: what the robot believes.
        errors: where believed poses are wrong.
        latest_ns: the last time of anything so far.
    """

    def __init__(self, file: LogFile, definitions: Definitions, scene: Scene) -> None:
        self._definitions = definitions
        self.reader = StateReader(scene.layout, file, definitions)
        self.timeline = Timeline()
        self.pieces: list[Piece] = []
        self.book = Book()
        self.tasks = TaskBook()
        self._index = SceneIndex(scene.layout)
        self.errors = PoseErrors(self._index, self.book)
        self.beliefs = BeliefBook(definitions, self.book, self.errors)
        self.latest_ns = 0
        self._touching = Touching(self._index, self.book)
        self._handling = Handling(self._index, self.book)
        self._motion = Motion(self._index, self.book)
        self._places = Places(self._index, self._motion.ids, self.book)
        self._truths = Truths(scene.layout, self.book)

    @property
    def recorded(self) -> frozenset[str]:
        """The fluents about the world that the log can know."""
        touching = {"contact", "on", "attached"} if self._touching.seen else set()
        moving = {"moving", "loc"} if self._motion.known else set()
        return frozenset(touching | moving) | self._truths.fluents

    @property
    def certain_ns(self) -> int:
        """Time until which all occasions are known, however the log goes on."""
        return self.timeline.time(max(0, len(self.timeline) - 1 - _STATES_AHEAD))

    @property
    def known_until_ns(self) -> int:
        """Time until which everything is known, however the log goes on."""
        newest = self.timeline.time(len(self.timeline) - 1)
        return max(min(self.certain_ns, newest - LATE_NS), self.timeline.time(0))

    def finish(self) -> None:
        """Judge what waited for states that do not come any more."""
        self._handling.update(self.latest_ns + HELD_ON_NS)
        self.errors.settle(self.latest_ns)

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk.

        Raises:
            Exception: of many kinds, if a message does not fit its definition.
        """
        states = self.reader.read(chunk)
        batch = None if states is None else self._add_states(chunk, states)
        for message in self._definitions.messages(chunk, topics.EVENTS.logged_name):
            self._add_event(message)
        for message in self._definitions.messages(chunk, topics.TASKS.logged_name):
            self.tasks.message(message)
        self.latest_ns = max(self.latest_ns, self.beliefs.add(chunk))
        if batch is not None:
            self.errors.update(batch)

    def _add_states(self, chunk: Chunk, states: States) -> Batch:
        first = len(self.timeline)
        self.timeline.add(states.times)
        self.pieces.append(Piece(first, chunk.place))
        self.latest_ns = max(self.latest_ns, int(states.times[-1]))
        batch = Batch(states, first, self.timeline, self._index)
        held = self._truths.update(batch)
        self._touching.update(batch)
        still = self._motion.update(batch)
        self._places.update(batch, still, held)
        self._handling.update(self.certain_ns)
        return batch

    def _add_event(self, message: Any) -> None:
        arguments = arguments_from_text(message.arguments)
        time_ns = nanoseconds(message.stamp)
        self.latest_ns = max(self.latest_ns, time_ns)
        is_action = message.kind == EventKind.ACTION
        if is_action:
            self.tasks.annotation(message.name, time_ns, arguments)
        # Tasks have a table of their own, and what they are called is not what happens.
        if message.kind != EventKind.TASK and not (is_action and message.name in DERIVED_EVENTS):
            self.book.happen(time_ns, message.name, arguments, message.source)
