"""Derives all tables of a log, chunk by chunk."""

from __future__ import annotations

import json
from typing import Any

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.event_codec import arguments_from_text
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.layout_json import layout_from_json
from hetwin_core.episodes.following.definitions import Definitions
from hetwin_core.episodes.following.log_file import Chunk, LogFile
from hetwin_core.episodes.following.states import StateReader
from hetwin_core.episodes.messages import nanoseconds
from hetwin_core.episodes.tables.deriving.belief_messages import BeliefReader
from hetwin_core.episodes.tables.deriving.derivation import Derivation


class Scene:
    """What the registry says of a run."""

    def __init__(self, registry: Any) -> None:
        self.layout: Layout = layout_from_json(json.loads(registry.layout))
        self.models: tuple[str, ...] = tuple(model.name for model in registry.models)


class Deriver(Derivation):
    """Takes in the chunks of a log, each once.

    Args:
        file: the log.
        definitions: its types.
        scene: what is in it.

    Attributes:
        reader: decodes states.
    """

    def __init__(self, file: LogFile, definitions: Definitions, scene: Scene) -> None:
        super().__init__(scene.layout)
        self._definitions = definitions
        self.reader = StateReader(scene.layout, file, definitions)
        self._beliefs = BeliefReader(definitions, self.beliefs.claims)

    def add(self, chunk: Chunk) -> None:
        """Take in a chunk.

        Raises:
            Exception: of many kinds, if a message does not fit its definition.
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
