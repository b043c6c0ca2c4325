"""A run on the channels of Foxglove's SDK, which carry it to a server's clients or into a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hetwin_core.ensemble import topics
from hetwin_core.ensemble.conductor.reporting.listener import Handover, ModelRecord
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints
from hetwin_core.projection.markers import SHOWN
from hetwin_core.projection.run_messages import (
    event_message,
    handover_message,
    note_message,
    registry_message,
    responsibilities_message,
)
from hetwin_suite.view.foxglove.contacts import contact_entity
from hetwin_suite.view.foxglove.json_types import Schema, as_json, message_schema
from hetwin_suite.view.foxglove.library import foxglove
from hetwin_suite.view.foxglove.shapes import scene_entity
from hetwin_suite.view.palette import model_colours, rgb

SCENE = "/hetwin/scene"
CONTACTS = topics.CONTACTS.logged_name
FRAMES = "/tf"
VALUES = "/hetwin/values"
_AS_JSON = (
    topics.REGISTRY,
    topics.RESPONSIBILITIES,
    topics.HANDOVERS,
    topics.EVENTS,
    topics.DIAGNOSTICS,
)
_FRAMED = (EntityKind.OBJECT, EntityKind.STATIC, EntityKind.LINK, EntityKind.HAND)


@dataclass(frozen=True)
class Shown:
    """What is shown of one time of a run.

    Attributes:
        time_ns: simulated time.
        values: all attributes, as the layout has them.
        owners: index of the model of each slot.
        near: rows of `Snapshot.proximity`; None if they are not known.
    """

    time_ns: int
    values: Floats
    owners: Ints
    near: Floats | None = None

    def copy(self) -> Shown:
        """Return one that stays as it is."""
        near = None if self.near is None else self.near.copy()
        return replace(self, values=self.values.copy(), owners=self.owners.copy(), near=near)


class Channels:
    """The channels of one run: scene and contacts, frames, values to plot, and the topics of a run's log as JSON.

    Objects have the colour of the model that is responsible for their pose; all else has its own.

    Args:
        context: of the SDK; what else listens to it gets all that is shown here.
        scenario: name of the scenario.
        models: by index.
        layout: of the scene.
    """

    def __init__(
        self, context: Any, scenario: str, models: Sequence[ModelRecord], layout: Layout
    ) -> None:
        sdk = foxglove()
        self._messages = sdk.messages
        self._scenario, self._models, self._layout = scenario, tuple(models), layout
        colours = model_colours(models)
        self._colours = [(*rgb(colours[model.name]), 1.0) for model in models]
        self._scene = sdk.channels.SceneUpdateChannel(SCENE, context=context)
        self._contacts = sdk.channels.SceneUpdateChannel(CONTACTS, context=context)
        self._frames = sdk.channels.FrameTransformsChannel(FRAMES, context=context)

        def json_channel(name: str, schema: Schema) -> Any:
            return sdk.Channel(name, schema=schema, context=context)

        self._json = {
            topic: json_channel(topic.logged_name, message_schema(topic.type)) for topic in _AS_JSON
        }
        self._values = json_channel(VALUES, _values_schema(layout))
        self._all = (self._scene, self._contacts, self._frames, self._values, *self._json.values())
        self._shapes = [
            entity
            for entity in layout.of_kind(*SHOWN)
            if entity.shapes and layout.has(entity.name, "pose")
        ]
        self._framed = [
            (entity.name, layout.range_of(entity.name, "pose").start)
            for entity in layout.of_kind(*_FRAMED)
            if layout.has(entity.name, "pose")
        ]
        self._shown: Shown | None = None

    @property
    def names(self) -> set[str]:
        """The names of all channels."""
        return {channel.topic() for channel in self._all}

    @property
    def shown(self) -> Shown | None:
        """What was shown last; None before that."""
        return self._shown

    def show(self, now: Shown) -> None:
        """Show a time of the run; scene and responsibilities only as far as owners have changed."""
        before = self._shown
        self._shown = now.copy()
        if before is None:
            self.repeat()
            return
        changed = np.flatnonzero(before.owners != now.owners).tolist()
        if changed:
            self._write_responsibilities(now)
            slots = [self._layout.slots[i] for i in changed]
            self._write_scene(now, {s.entity for s in slots if s.attribute.name == "pose"})
        self._write_moving(now)

    def repeat(self) -> None:
        """Show once more all that was shown last, for who has not seen it."""
        now = self._shown
        if now is None:
            return
        registry = registry_message(now.time_ns, self._scenario, self._models, self._layout)
        self._write(topics.REGISTRY, now.time_ns, registry)
        self._write_responsibilities(now)
        self._write_scene(now, None)
        self._write_moving(now)

    def event(self, event: Event) -> None:
        """Show an event."""
        self._write(topics.EVENTS, event.time_ns, event_message(event))

    def handover(self, handover: Handover) -> None:
        """Show a handover."""
        self._write(topics.HANDOVERS, handover.time_ns, handover_message(handover))

    def note(self, time_ns: int, level: str, source: str, text: str) -> None:
        """Show a note."""
        self._write(topics.DIAGNOSTICS, time_ns, note_message(time_ns, level, source, text))

    def close(self) -> None:
        """Take the channels away from who sees them."""
        for channel in self._all:
            channel.close()

    def _write(self, topic: topics.Topic, time_ns: int, content: Any) -> None:
        self._json[topic].log(as_json(content), log_time=time_ns)

    def _write_responsibilities(self, now: Shown) -> None:
        owners = {
            (slot.entity, slot.attribute.name): self._models[owner].name
            for slot, owner in zip(self._layout.slots, now.owners.tolist(), strict=True)
        }
        self._write(
            topics.RESPONSIBILITIES, now.time_ns, responsibilities_message(now.time_ns, owners)
        )

    def _write_scene(self, now: Shown, names: set[str] | None) -> None:
        """The shapes of some entities; None: of all."""
        stamp = self._stamp(now.time_ns)
        entities = []
        for entity in self._shapes:
            if names is None or entity.name in names:
                owner = now.owners[self._layout.slot_id(entity.name, "pose")]
                colour = self._colours[owner] if entity.kind is EntityKind.OBJECT else None
                entities.append(scene_entity(self._messages, entity, colour, stamp))
        if entities:
            update = self._messages.SceneUpdate(entities=entities)
            self._scene.log(update, log_time=now.time_ns)

    def _write_moving(self, now: Shown) -> None:
        self._write_frames(now)
        if now.near is not None and self._contacts.has_sinks():
            entity = contact_entity(self._messages, now.near, self._stamp(now.time_ns))
            update = self._messages.SceneUpdate(entities=[entity])
            self._contacts.log(update, log_time=now.time_ns)
        if self._values.has_sinks():
            self._values.log(_values_row(self._layout, now), log_time=now.time_ns)

    def _write_frames(self, now: Shown) -> None:
        if not self._frames.has_sinks():
            return
        messages, stamp = self._messages, self._stamp(now.time_ns)
        transforms = []
        for name, start in self._framed:
            x, y, z, qw, qx, qy, qz = now.values[start : start + 7].tolist()
            transforms.append(
                messages.FrameTransform(
                    timestamp=stamp,
                    parent_frame_id=WORLD,
                    child_frame_id=name,
                    translation=messages.Vector3(x=x, y=y, z=z),
                    rotation=messages.Quaternion(x=qx, y=qy, z=qz, w=qw),
                )
            )
        update = messages.FrameTransforms(transforms=transforms)
        self._frames.log(update, log_time=now.time_ns)

    def _stamp(self, time_ns: int) -> Any:
        return self._messages.Timestamp(*divmod(time_ns, 1_000_000_000))


def _values_schema(layout: Layout) -> Schema:
    """The schema of all attributes, by entity and name."""
    numbers = {"type": "array", "items": {"type": "number"}}
    entities: dict[str, Schema] = {}
    for slot in layout.slots:
        entity = entities.setdefault(slot.entity, {"type": "object", "properties": {}})
        entity["properties"][slot.attribute.name] = numbers
    return {"type": "object", "title": "hetwin values", "properties": entities}


def _values_row(layout: Layout, now: Shown) -> Mapping[str, Mapping[str, list[float]]]:
    """All attributes, by entity and name."""
    row: dict[str, dict[str, list[float]]] = {}
    for slot in layout.slots:
        numbers = now.values[slot.offset : slot.offset + slot.attribute.size]
        row.setdefault(slot.entity, {})[slot.attribute.name] = numbers.tolist()
    return row
