"""Converts messages of the robot to events: action annotations, and topics that triggers watch."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import (
    AnnotationFields,
    Event,
    EventKind,
    Json,
    action_event,
    announce,
)
from hetwin_core.ensemble.scenario.source import Annotations, Operation
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.bag_types import ACTION_ANNOTATION
from model_nodes.main_physics.sources.event_stream import EventReader
from model_nodes.main_physics.sources.reports.action_readers import field_names
from model_nodes.main_physics.sources.reports.by_type import reader_of


def readers_for(
    bag: Bag,
    annotations: Sequence[Annotations] | None,
    topics: Sequence[str],
    others: Collection[str] = (),
) -> dict[str, list[EventReader]]:
    """Return the readers that convert a recording's messages to events, by topic.

    Args:
        bag: the recording.
        annotations: topics with action annotations; None for all topics of that type, and for the readable topics of
            action servers, grippers and behaviour trees.
        topics: topics whose messages become events unchanged.
        others: namespaces of other robots; their action servers are only read if `annotations` names the topics.

    Raises:
        BadInput: if a topic or field is missing or has an unsuitable type.
    """
    readers: dict[str, list[EventReader]] = {}
    if annotations is None:
        typed = [t.name for t in bag.topics.values() if t.type == ACTION_ANNOTATION]
        typed += [name for name in action_topics(bag, others) if is_readable(bag, name)]
        annotations = [Annotations.model_construct(topic=name) for name in typed]
    for i, annotation in enumerate(annotations):
        reader = _annotation_reader(bag, annotation, f"annotations.{i}")
        readers.setdefault(annotation.topic, []).append(reader)
    for i, topic in enumerate(topics):
        bag.require(topic, f"topics.{i}")
        readers.setdefault(topic, []).append(TopicReader(topic))
    return readers


def action_topics(bag: Bag, others: Collection[str] = ()) -> list[str]:
    """Return the topics on which action servers, grippers and behaviour trees report."""
    return [
        topic.name
        for topic in bag.topics.values()
        if topic.messages
        and reader_of(topic.type)
        and not any(topic.name.startswith(f"/{other}/") for other in others)
    ]


def unread_notes(bag: Bag, others: Collection[str] = ()) -> list[str]:
    """Return notes about such topics that cannot be read."""
    unread = [str(bag.topics[t]) for t in action_topics(bag, others) if not is_readable(bag, t)]
    return [f"not read, as their definition is not known: {', '.join(unread)}"] if unread else []


def is_readable(bag: Bag, topic: str) -> bool:
    """Whether a topic's messages have one type, and a definition that fits the fields read from the first message."""
    reader = reader_of(bag.topics[topic].type)
    return reader is not None and bag.can_read(topic, lambda message: reader(topic)(message, 0))


def _annotation_reader(bag: Bag, spec: Annotations, where: str) -> EventReader:
    summary = bag.require(spec.topic, f"{where}.topic")
    if spec.map is not None:
        bag.check_value_field(spec.topic, spec.field, f"{where}.field")
        return MappedReader(spec.topic, spec.field, spec.map)
    if summary.type == ACTION_ANNOTATION:
        return TypedReader(spec.topic)
    if (reader := reader_of(summary.type)) is not None:
        return reader(spec.topic)
    raise BadInput(
        f"topic {spec.topic} carries no action annotations",
        file=bag.path,
        where=where,
        found=summary.type,
        expected=f"type {ACTION_ANNOTATION}, feedback or status of an action, or a `map` of its values",
    )


class TypedReader:
    """Reads hetwin/msg/ActionAnnotation."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the annotation as an event.

        Raises:
            ValueError: if its operation, phase or arguments are invalid.
        """
        fields = AnnotationFields(message.operation, message.phase, message.arguments)
        return [action_event(fields, time_ns, self._topic)]


class MappedReader:
    """Detects operations from changes of a value."""

    def __init__(self, topic: str, field: str, operations: Mapping[str, Operation]) -> None:
        self._topic = topic
        self._path = field.split(".")
        self._operations = operations
        self._value: str | None = None

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the end of the former operation and the begin of the new one, if the value has changed."""
        value = self._read(message)
        if value == self._value:
            return []
        former = self._operations.get(self._value) if self._value is not None else None
        current = self._operations.get(value)
        self._value = value
        changes = ((former, "end"), (current, "begin"))
        return [
            announce(operation.operation, phase, operation.arguments, time_ns, self._topic)
            for operation, phase in changes
            if operation is not None
        ]

    def _read(self, message: Any) -> str:
        for name in self._path:
            message = getattr(message, name)
        if isinstance(message, bool | np.bool_):
            return "true" if message else "false"
        return str(message)


class TopicReader:
    """Converts messages to events, with all their fields."""

    def __init__(self, topic: str) -> None:
        self._topic = topic

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the message as an event."""
        content = as_json(message)
        assert isinstance(content, dict)
        return [Event(self._topic, time_ns, EventKind.TOPIC, self._topic, arguments=content)]


def as_json(value: Any) -> Json:
    """Convert a message to JSON values: bytes become integers, numbers that are not finite null."""
    if (named := field_names(value)) is not None:
        return {name: as_json(getattr(value, name)) for name in named}
    if isinstance(value, bytes):  # one `byte` of a message that ROS has decoded
        return value[0]
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    raise ValueError(f"a {type(value).__name__} cannot be represented in JSON")
