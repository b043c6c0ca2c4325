"""Turns messages that say what the robot believes into events: poses, percepts, symbolic beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hetwin_core.ensemble.beliefs import (
    LOC,
    PERCEPT,
    BeliefFields,
    Pose,
    belief_event,
    message_fields,
    unusable_belief,
)
from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scenario.source import Beliefs

VISIBLE = "visible"
"""The fluent of what a detector finds, until it finds it no longer."""


class BeliefReader:
    """Reads the messages of one topic, whatever says their types: a recording's definitions, or ROS.

    A message that holds no belief becomes an event that says why, with its number.

    Args:
        spec: the topic, and what its messages are about.
    """

    def __init__(self, spec: Beliefs) -> None:
        self._spec = spec
        self._count = 0
        self._visible: tuple[str, ...] = ()

    def __call__(self, message: Any, time_ns: int) -> list[Event]:
        """Return the beliefs that a message holds."""
        self._count += 1
        topic = self._spec.topic
        try:
            return [belief_event(fields, time_ns, topic) for fields in self._read(message)]
        except (ValueError, AttributeError) as error:
            return [unusable_belief(f"message {self._count}: {error}", time_ns, topic)]

    def _read(self, message: Any) -> Iterator[BeliefFields]:
        if hasattr(message, "detections"):
            return self._percepts(message)
        if hasattr(message, "fluent"):
            return iter([message_fields(message)])
        if hasattr(message, "pose"):
            return iter([self._pose(message)])
        raise ValueError(f"a {type(message).__name__} says nothing that the robot believes")

    def _pose(self, message: Any) -> BeliefFields:
        if self._spec.entity is None:
            raise ValueError("a pose, but the scenario names no entity for this topic")
        frame = self._frame(message.header.frame_id)
        return BeliefFields(
            LOC, (self._spec.entity,), frame=frame, pose=_numbers(_without_covariance(message.pose))
        )

    def _percepts(self, message: Any) -> Iterator[BeliefFields]:
        """Yield where each object is, and what is visible from now on or no more."""
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
        before, self._visible = self._visible, names
        for name in names:
            if name not in before:
                yield BeliefFields(VISIBLE, (name,))
        for name in before:
            if name not in names:
                yield BeliefFields(VISIBLE, (name,), holds=False)

    def _frame(self, named: str) -> str:
        return named if self._spec.frame is None else self._spec.frame


def _without_covariance(pose: Any) -> Any:
    return pose.pose if hasattr(pose, "pose") else pose


def _numbers(pose: Any) -> Pose:
    """The numbers of a geometry_msgs/msg/Pose."""
    place, turn = pose.position, pose.orientation
    found: Sequence[float] = (place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z)
    return tuple(map(float, found))
