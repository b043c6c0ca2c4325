"""What is read of a robot beside its joints: action annotations, tasks, beliefs, and topics that become events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hetwin_core.ensemble.scenario.source import Annotations, Beliefs, SourceOptions
from hetwin_core.ensemble.topics import ANNOTATIONS, BELIEFS, TASKS
from model_nodes.main_physics.sources.annotations import MappedReader, TopicReader, TypedReader
from model_nodes.main_physics.sources.event_stream import EventReader
from model_nodes.main_physics.sources.told.belief_reader import BeliefReader
from model_nodes.main_physics.sources.told.by_type import reader_of
from model_nodes.main_physics.sources.told.task_reader import TaskReader

_OWN = "/hetwin/"


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
    for topic in _tasks(spec):
        readers.setdefault(topic, []).append(TaskReader(topic))
    for belief in _beliefs(spec):
        readers.setdefault(belief.topic, []).append(BeliefReader(belief))
    return readers


def known_types(spec: SourceOptions) -> dict[str, Any]:
    """Return the classes of the messages on topics for which they are known beforehand."""
    from hetwin.msg import ActionAnnotation, Belief, Task

    named = {belief.topic for belief in spec.beliefs}
    return {
        **{one.topic: ActionAnnotation for one in _annotations(spec) if one.map is None},
        **dict.fromkeys(_tasks(spec), Task),
        **({} if BELIEFS.name in named else {BELIEFS.name: Belief}),
    }


def told_reader(spec: SourceOptions, topic: str, type_name: str) -> EventReader | None:
    """Return the reader of what an action server, a gripper or a behaviour tree says; None for any other topic.

    Those of the twin itself are not read, and none if the annotations are named.
    """
    reader = reader_of(type_name)
    if spec.annotations is not None or reader is None or _OWN in topic:
        return None
    return reader(topic)


def _tasks(spec: SourceOptions) -> Sequence[str]:
    return (TASKS.name,) if spec.tasks is None else spec.tasks


def _beliefs(spec: SourceOptions) -> Sequence[Beliefs]:
    """Those that are named, and the topic ``beliefs``."""
    named = {belief.topic for belief in spec.beliefs}
    return spec.beliefs if BELIEFS.name in named else (*spec.beliefs, Beliefs(topic=BELIEFS.name))


def _annotations(spec: SourceOptions) -> Sequence[Annotations]:
    return (Annotations(topic=ANNOTATIONS.name),) if spec.annotations is None else spec.annotations
