"""Publishes a run on channels of Foxglove's SDK, which write to a server's clients or into a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_foxglove.library import foxglove
from hetwin_foxglove.services import Schema
from hetwin_suite.model import EntityKind, Event, Layout
from hetwin_suite.runs import Handover
from hetwin_suite.viewer import (
    CONTACTS,
    DIAGNOSTICS,
    EVENTS,
    HANDOVERS,
    MARKERS,
    REGISTRY,
    RESPONSIBILITIES,
    STATIC_TRANSFORMS,
    TRANSFORMS,
    Encoded,
    LiveState,
    ModelRecord,
    RunEncoder,
    Topic,
    definition,
    event_messages,
    handover_message,
    model_colours,
    note_message,
    registry_message,
    rgb,
)

VALUES = "/hetwin/values"
_TOPICS = (
    REGISTRY,
    RESPONSIBILITIES,
    HANDOVERS,
    EVENTS,
    DIAGNOSTICS,
    MARKERS,
    CONTACTS,
    TRANSFORMS,
    STATIC_TRANSFORMS,
)


class Channels:
    """The channels of one run: topics of its log, and values to plot.

    Objects have the colour of the model that owns their pose; everything else has its own colour.

    Args:
        context: context of the SDK; a server or file attached to it receives everything shown here.
        scenario: name of the scenario.
        models: models by index.
        layout: layout of the scene.
    """

    def __init__(
        self, context: Any, scenario: str, models: Sequence[ModelRecord], layout: Layout
    ) -> None:
        sdk = foxglove()
        self._scenario, self._models, self._layout = scenario, tuple(models), layout
        self._encoder = RunEncoder(layout, models)
        colours = model_colours(models)
        self._colours = [(*rgb(colours[model.name]), 1.0) for model in models]
        self._coloured = {
            entity.name: layout.slot_id(entity.name, "pose")
            for entity in layout.of_kind(EntityKind.OBJECT)
            if layout.has(entity.name, "pose")
        }

        def channel(topic: Topic) -> Any:
            data = definition(topic.type).encode()
            schema = sdk.Schema(name=topic.type, encoding="ros2msg", data=data)
            name = topic.logged_name
            return sdk.Channel(name, schema=schema, message_encoding="cdr", context=context)

        self._channels = {topic: channel(topic) for topic in _TOPICS}
        self._values = sdk.Channel(VALUES, schema=_values_schema(layout), context=context)
        self._shown: LiveState | None = None

    @property
    def names(self) -> set[str]:
        """The names of all channels."""
        return {VALUES, *(topic.logged_name for topic in self._channels)}

    @property
    def shown(self) -> LiveState | None:
        """The state that was shown last; None before the first one."""
        return self._shown

    def show(self, now: LiveState) -> None:
        """Show a state of the run; scene and responsibilities only if owners have changed."""
        before = self._shown
        self._shown = now
        if before is None:
            self.repeat()
            return
        changed = np.flatnonzero(before.owners != now.owners).tolist()
        if changed:
            self._write_responsibilities(now)
            slots = [self._layout.slots[i] for i in changed]
            posed = frozenset(s.entity for s in slots if s.attribute.name == "pose")
            self._write_shapes(now, posed)
        self._write_moving(now)

    def repeat(self) -> None:
        """Repeat everything shown last, for clients that have subscribed since."""
        now = self._shown
        if now is None:
            return
        registry = registry_message(now.time_ns, self._scenario, self._models, self._layout)
        self._write([registry])
        self._write_responsibilities(now)
        self._write(self._encoder.fixed_frames(now.time_ns, now.values))
        self._write_shapes(now, None)
        self._write_moving(now)

    def event(self, event: Event) -> None:
        """Show an event."""
        self._write(event_messages(event))

    def handover(self, handover: Handover) -> None:
        """Show a handover."""
        self._write([handover_message(handover)])

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Show a note."""
        self._write([note_message(time_ns, level, source, text)])

    def close(self) -> None:
        """Close the channels."""
        for channel in (self._values, *self._channels.values()):
            channel.close()

    def _write(self, messages: Iterable[Encoded]) -> None:
        for topic, time_ns, data in messages:
            if topic in self._channels:
                self._channels[topic].log(bytes(data), log_time=time_ns)

    def _write_responsibilities(self, now: LiveState) -> None:
        self._encoder.set_owners(now.owners)
        self._write([self._encoder.responsibilities(now.time_ns)])

    def _write_shapes(self, now: LiveState, names: frozenset[str] | None) -> None:
        """Write the shapes of some entities; None: of all entities."""
        colours = {name: self._colours[now.owners[slot]] for name, slot in self._coloured.items()}
        self._write(self._encoder.shapes(now.time_ns, names, colours))

    def _write_moving(self, now: LiveState) -> None:
        if self._channels[TRANSFORMS].has_sinks():
            self._write(self._encoder.frames(now.time_ns, now.values))
        if now.near is not None and self._channels[CONTACTS].has_sinks():
            self._write(self._encoder.contacts(now.time_ns, now.near, always=True))
        if self._values.has_sinks():
            self._values.log(_values_row(self._layout, now), log_time=now.time_ns)


def _values_schema(layout: Layout) -> Schema:
    """Return the JSON schema of all attributes, by entity and name."""
    numbers = {"type": "array", "items": {"type": "number"}}
    entities: dict[str, Schema] = {}
    for slot in layout.slots:
        entity = entities.setdefault(slot.entity, {"type": "object", "properties": {}})
        entity["properties"][slot.attribute.name] = numbers
    return {"type": "object", "title": "hetwin values", "properties": entities}


def _values_row(layout: Layout, now: LiveState) -> Mapping[str, Mapping[str, list[float]]]:
    """Return entity -> attribute -> its numbers."""
    row: dict[str, dict[str, list[float]]] = {}
    for slot in layout.slots:
        numbers = now.values[slot.offset : slot.offset + slot.attribute.size]
        row.setdefault(slot.entity, {})[slot.attribute.name] = numbers.tolist()
    return row
