"""Converts tasks and beliefs of a recording or a live robot to events."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.beliefs import (
    LOC,
    PERCEPT,
    BeliefFields,
    Pose,
    belief_event,
    invalid_belief_event,
    message_fields,
)
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.source import Beliefs
from hetwin_core.ensemble.tasks import TaskMessages
from hetwin_core.ensemble.topics import BELIEFS, TASKS
from model_nodes.main_physics.sources.bag import Bag
from model_nodes.main_physics.sources.base.pose_messages import (
    FIELDS,
    ODOMETRY,
    POSE,
    POSE_WITH_COVARIANCE,
)
from model_nodes.main_physics.sources.event_stream import EventReader


class TaskReader:
    """Reads the tasks of one topic."""

    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._messages = TaskMessages()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the event of a change of status.

        Raises:
            ValueError: if the message has no id, or its status or its variables cannot be used.
        """
        return [self._messages.event(message, time_ns, self._topic)]


VISIBLE = "visible"
"""The fluent of objects while they are detected."""


class BeliefReader:
    """Reads the messages of one topic, decoded by a recording's definitions or by ROS.

    A message without a belief becomes an event with the reason and its number.

    Args:
        spec: the scenario's entry: the topic, and the entity that its messages are about.
    """

    def __init__(self, spec: Beliefs) -> None:
        self._spec = spec
        self._count = 0
        self._visible: tuple[str, ...] = ()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the beliefs in a message."""
        self._count += 1
        topic = self._spec.topic
        try:
            return [belief_event(fields, time_ns, topic) for fields in self._read(message)]
        except (ValueError, AttributeError) as error:
            return [invalid_belief_event(f"message {self._count}: {error}", time_ns, topic)]

    def _read(self, message: Any) -> Iterator[BeliefFields]:
        if hasattr(message, "detections"):
            return self._percepts(message)
        if hasattr(message, "fluent"):
            return iter([message_fields(message)])
        if hasattr(message, "pose"):
            return iter([self._pose(message)])
        raise ValueError(f"a {type(message).__name__} contains no belief of the robot")

    def _pose(self, message: Any) -> BeliefFields:
        if self._spec.entity is None:
            raise ValueError("a pose, but the scenario names no entity for this topic")
        frame = self._frame(message.header.frame_id)
        return BeliefFields(
            LOC, (self._spec.entity,), frame=frame, pose=_numbers(_without_covariance(message.pose))
        )

    def _percepts(self, message: Any) -> Iterator[BeliefFields]:
        """Yield changes of visibility, and the location of each object."""
        found: dict[str, BeliefFields] = {}
        for detection in message.detections:
            if not detection.results:
                raise ValueError("a detection without results; expected a class id and a pose")
            best = max(detection.results, key=lambda result: float(result.hypothesis.score))
            name = self._spec.classes.get(best.hypothesis.class_id, best.hypothesis.class_id)
            frame = detection.header.frame_id or message.header.frame_id
            pose = _numbers(best.pose.pose)
            found[name] = BeliefFields(
                LOC,
                (name,),
                frame=self._frame(frame),
                pose=pose if any(pose[3:]) else _numbers(detection.bbox.center),
                confidence=float(best.hypothesis.score),
                origin=PERCEPT,
            )
        yield from self._changes(tuple(found))
        yield from found.values()

    def _changes(self, names: tuple[str, ...]) -> Iterator[BeliefFields]:
        previous, self._visible = self._visible, names
        for name in names:
            if name not in previous:
                yield BeliefFields(VISIBLE, (name,))
        for name in previous:
            if name not in names:
                yield BeliefFields(VISIBLE, (name,), holds=False)

    def _frame(self, recorded: str) -> str:
        return recorded if self._spec.frame is None else self._spec.frame


def _without_covariance(pose: Any) -> Any:
    return pose.pose if hasattr(pose, "pose") else pose


def _numbers(pose: Any) -> Pose:
    """Return the numbers of a geometry_msgs/msg/Pose."""
    point, quat = pose.position, pose.orientation
    found: Sequence[float] = (point.x, point.y, point.z, quat.w, quat.x, quat.y, quat.z)
    return tuple(map(float, found))


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
"""Message type -> its fields."""


def task_readers(
    bag: Bag, topics: Sequence[str] | None, others: Collection[str] = ()
) -> dict[str, EventReader]:
    """Return the readers of tasks, by topic.

    Args:
        bag: the recording.
        topics: topics to read; None for all of this type.
        others: namespaces of other robots; topics in them are only read if the scenario names them.

    Raises:
        BadInput: if a topic is missing, empty or of another type.
    """
    named = _topics_of_type(bag, TASKS.type, others) if topics is None else topics
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
        others: namespaces of other robots; topics in them are only read if the scenario names them.

    Raises:
        BadInput: if a topic is missing, empty, of another type or named twice, or the entity of its pose is unclear.
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
    for topic in _topics_of_type(bag, BELIEFS.type, others):
        readers.setdefault(topic, BeliefReader(Beliefs(topic=topic)))
    for topic in readers:
        (type_name,) = bag.types(topic)
        bag.check_fields(topic, type_name, _FIELDS[type_name])
    return readers


def _require(bag: Bag, topic: str, where: str, types: Sequence[str]) -> str:
    """Return the type of a topic, which must have messages of one of some types."""
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
            f"there are no messages on topic {topic}",
            file=bag.path,
            where=where,
            found="no message",
            expected="a recording in which the robot published on it, or no such topic",
        )
    return summary.type


def _check_entity(spec: Beliefs, type_name: str, where: str) -> None:
    if type_name in _POSES and spec.entity is None:
        raise BadInput(
            "the entity of this pose is not named",
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


def _topics_of_type(bag: Bag, type_name: str, others: Collection[str]) -> list[str]:
    """Return the topics of one type outside the namespaces of other robots."""
    return [
        topic.name
        for topic in bag.topics.values()
        if topic.type == type_name and not any(topic.name.startswith(f"/{o}/") for o in others)
    ]
