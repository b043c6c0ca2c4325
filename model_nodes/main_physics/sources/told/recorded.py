"""Which topics of a recording say what the robot's program does and believes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.source import Beliefs
from hetwin_core.ensemble.topics import BELIEFS, TASKS
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.base.pose_messages import (
    FIELDS,
    ODOMETRY,
    POSE,
    POSE_WITH_COVARIANCE,
)
from model_nodes.main_physics.sources.event_stream import EventReader
from model_nodes.main_physics.sources.told.belief_reader import BeliefReader
from model_nodes.main_physics.sources.told.task_reader import TaskReader

DETECTIONS = "vision_msgs/msg/Detection3DArray"
_POSES = (POSE, POSE_WITH_COVARIANCE, ODOMETRY)
_FIELDS: Mapping[str, Sequence[str]] = {
    **{name: FIELDS[name] for name in _POSES},
    DETECTIONS: ("header", "detections"),
    BELIEFS.type: (
        *("stamp", "fluent", "arguments", "holds", "frame", "pose", "confidence", "origin"),
    ),
    TASKS.type: (
        *("stamp", "id", "parent", "after", "operation", "goal", "status", "reason", "variables"),
    ),
}
"""Types of messages -> their fields."""


def task_readers(
    bag: Bag, topics: Sequence[str] | None, others: Collection[str] = ()
) -> dict[str, EventReader]:
    """Return the readers of tasks, by topic.

    Args:
        bag: the recording.
        topics: that are read; None for all of their type.
        others: namespaces of other robots, whose topics are only read if they are named.

    Raises:
        BadInput: if a topic is missing, empty or of another type.
    """
    named = _of_type(bag, TASKS.type, others) if topics is None else topics
    for index, topic in enumerate(() if topics is None else topics):
        _require(bag, topic, f"tasks.{index}", (TASKS.type,))
    for topic in named:
        bag.check_fields(topic, TASKS.type, _FIELDS[TASKS.type])
    return {topic: TaskReader(topic) for topic in named}


def belief_readers(
    bag: Bag, named: Sequence[Beliefs], others: Collection[str] = ()
) -> dict[str, EventReader]:
    """Return the readers of beliefs, by topic.

    Args:
        bag: the recording.
        named: topics that the scenario names; those of type hetwin/msg/Belief are read in any case.
        others: namespaces of other robots, whose topics are only read if they are named.

    Raises:
        BadInput: if a topic is missing, empty or of another type, named twice, or it is not clear whose pose it says.
    """
    readers: dict[str, EventReader] = {}
    for index, spec in enumerate(named):
        where = f"beliefs.{index}"
        if spec.topic in readers:
            raise BadInput(
                "this topic of beliefs is named twice",
                where=f"{where}.topic",
                found=spec.topic,
                expected="each topic once",
            )
        type_name = _require(bag, spec.topic, f"{where}.topic", (*_POSES, DETECTIONS, BELIEFS.type))
        _check_entity(spec, type_name, where)
        readers[spec.topic] = BeliefReader(spec)
    for topic in _of_type(bag, BELIEFS.type, others):
        readers.setdefault(topic, BeliefReader(Beliefs(topic=topic)))
    for topic in readers:
        (type_name,) = bag.types(topic)
        bag.check_fields(topic, type_name, _FIELDS[type_name])
    return readers


def _require(bag: Bag, topic: str, where: str, types: Sequence[str]) -> str:
    """Return the type of a topic that must have messages of one of some types."""
    summary = bag.require(topic, where)
    if summary.type not in types:
        raise BadInput(
            f"topic {topic} cannot be read here",
            file=bag.path,
            where=where,
            found=summary.type,
            expected=f"a topic of type {' or '.join(types)}",
        )
    if not summary.messages:
        raise BadInput(
            f"nothing ever came on topic {topic}",
            file=bag.path,
            where=where,
            found="no message",
            expected="a recording in which the robot published on it, or no such topic",
        )
    return summary.type


def _check_entity(spec: Beliefs, type_name: str, where: str) -> None:
    if type_name in _POSES and spec.entity is None:
        raise BadInput(
            "it is not said whose pose this is",
            where=where,
            found=f"{spec.topic} ({type_name})",
            expected="entity: with the name of an entity of the scene",
        )
    if type_name not in _POSES and spec.entity is not None:
        raise BadInput(
            "messages of this type name their entities themselves",
            where=f"{where}.entity",
            found=f"{spec.entity}, for {spec.topic} ({type_name})",
            expected="no entity; classes: maps class ids of detections to entities",
        )


def _of_type(bag: Bag, type_name: str, others: Collection[str]) -> list[str]:
    """Return the topics of one type that are in no other robot's namespace."""
    return [
        topic.name
        for topic in bag.topics.values()
        if topic.type == type_name and not any(topic.name.startswith(f"/{o}/") for o in others)
    ]
