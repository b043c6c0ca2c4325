"""What is read of a robot's topics beside its joints: action annotations, and topics that become events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hetwin_core.ensemble.scenario.source import Annotations, SourceOptions
from hetwin_core.ensemble.topics import ANNOTATIONS
from model_nodes.main_physics.sources.annotations import MappedReader, TopicReader, TypedReader
from model_nodes.main_physics.sources.event_stream import EventReader


def readers_of(spec: SourceOptions) -> dict[str, list[EventReader]]:
    """Return the readers of each topic that a source is to read."""
    readers: dict[str, list[EventReader]] = {}
    for one in _annotations(spec):
        reader = (
            TypedReader(one.topic)
            if one.map is None
            else MappedReader(one.topic, one.field, one.map)
        )
        readers.setdefault(one.topic, []).append(reader)
    for topic in spec.topics:
        readers.setdefault(topic, []).append(TopicReader(topic))
    return readers


def known_types(spec: SourceOptions) -> dict[str, Any]:
    """Return the classes of the messages on topics for which they are known beforehand."""
    from hetwin.msg import ActionAnnotation

    return {one.topic: ActionAnnotation for one in _annotations(spec) if one.map is None}


def _annotations(spec: SourceOptions) -> Sequence[Annotations]:
    return (Annotations(topic=ANNOTATIONS.name),) if spec.annotations is None else spec.annotations
