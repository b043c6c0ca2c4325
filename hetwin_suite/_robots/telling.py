"""Record messages of a robot's program together with its motion: tasks, beliefs and percepts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.beliefs import LOC
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import WORLD
from hetwin_core.ensemble.topics import BELIEFS, TASKS, Encoded, Topic
from hetwin_core.episodes.bag import write_recording
from hetwin_core.episodes.messages import (
    header,
    message,
    pose_message,
    stamp,
    vector_message,
)
from model_nodes.main_physics.sources.bag_types import known_types
from model_nodes.main_physics.sources.base.pose_messages import POSE
from model_nodes.main_physics.sources.reports.recorded import DETECTIONS

_RECEIVED_NS = 200_000
"""Delay between a message's stamp and its reception by the recorder [ns]."""


@dataclass(frozen=True, slots=True)
class ProgramMessage:
    """A message of the program, without stamps; `time` is in seconds from the start of the recording."""

    time: float
    topic: str
    type: str
    fields: Mapping[str, Any]


@dataclass
class ProgramMessages:
    """Messages of a robot's program; each method appends one, in any order.

    Attributes:
        messages: the appended messages.
    """

    messages: list[ProgramMessage] = field(default_factory=list)

    def task(
        self,
        time: float,
        name: str,
        status: str,
        operation: str = "",
        *,
        goal: str = "",
        parent: str = "",
        after: Sequence[str] = (),
        reason: str = "",
        variables: Mapping[str, Json] | None = None,
        topic: str = TASKS.logged_name,
    ) -> None:
        """Report the status of the task `name`, which is its id; see ``msg/Task.msg``."""
        fields = {
            "id": name,
            "parent": parent,
            "after": list(after),
            "operation": operation,
            "goal": goal,
            "status": status,
            "reason": reason,
            "variables": json.dumps(variables) if variables else "",
        }
        self.messages.append(ProgramMessage(time, topic, TASKS.type, fields))

    def believe(
        self,
        time: float,
        fluent: str,
        *arguments: str,
        holds: bool = True,
        origin: str = "",
        topic: str = BELIEFS.logged_name,
    ) -> None:
        """Report that a fluent holds, or does not; see ``msg/Belief.msg``."""
        fields = {
            "fluent": fluent,
            "arguments": list(arguments),
            "holds": holds,
            "frame": "",
            "pose": np.empty(0),
            "confidence": 1.0,
            "origin": origin,
        }
        self.messages.append(ProgramMessage(time, topic, BELIEFS.type, fields))

    def believe_at(
        self,
        time: float,
        entity: str,
        pose: Sequence[float],
        *,
        frame: str = WORLD,
        origin: str = "",
        topic: str = BELIEFS.logged_name,
    ) -> None:
        """Report the believed pose of an entity as ``msg/Belief.msg``: x y z, qw qx qy qz in a frame."""
        fields = {
            "fluent": LOC,
            "arguments": [entity],
            "holds": True,
            "frame": frame,
            "pose": np.array(pose, np.float64),
            "confidence": 1.0,
            "origin": origin,
        }
        self.messages.append(ProgramMessage(time, topic, BELIEFS.type, fields))

    def pose(self, time: float, topic: str, pose: Sequence[float], frame: str = WORLD) -> None:
        """Publish a geometry_msgs/PoseStamped: x y z, qw qx qy qz in a frame."""
        self.messages.append(
            ProgramMessage(time, topic, POSE, {"frame": frame, "pose": tuple(pose)})
        )

    def perceive(
        self,
        time: float,
        topic: str,
        found: Mapping[str, tuple[Sequence[float], float]],
        frame: str = WORLD,
    ) -> None:
        """Publish a vision_msgs/Detection3DArray.

        Args:
            time: time of the picture [s].
            topic: topic of the detector.
            found: class id -> pose (x y z, qw qx qy qz in the frame) and score from 0 to 1; may be empty.
            frame: frame of the poses.
        """
        self.messages.append(
            ProgramMessage(time, topic, DETECTIONS, {"frame": frame, "found": dict(found)})
        )

    def add_to(self, recording: Path, out: Path) -> Path:
        """Write a copy of a recording that includes these messages; returns its folder `out`, which must not exist."""
        store = known_types()
        with AnyReader([recording], default_typestore=store) as reader:
            start_ns = reader.start_time
            topics = [_topic(c.topic, c.msgtype) for c in reader.connections]
            rows = [
                Encoded(_topic(c.topic, c.msgtype), time_ns, memoryview(raw))
                for c, time_ns, raw in reader.messages()
            ]
        for post in self.messages:
            stamp_ns = start_ns + round(post.time * 1e9)
            data = store.serialize_cdr(_message(post, stamp_ns), post.type)
            topics.append(_topic(post.topic, post.type))
            rows.append(Encoded(topics[-1], stamp_ns + _RECEIVED_NS, data))
        write_recording(out, rows, topics, store)
        return out


def _topic(name: str, kind: str) -> Topic:
    return Topic(name.removeprefix("/"), kind, "")


def _message(post: ProgramMessage, stamp_ns: int) -> Any:
    if post.type in (TASKS.type, BELIEFS.type):
        return message(post.type, stamp=stamp(stamp_ns), **post.fields)
    head = header(stamp_ns, post.fields["frame"])
    if post.type == POSE:
        return message(POSE, header=head, pose=pose_message(post.fields["pose"]))
    found = post.fields["found"].items()
    detections = [_detection(head, name, pose, score) for name, (pose, score) in found]
    types: Mapping[str, Any] = known_types().types
    return types[DETECTIONS](header=head, detections=detections)


def _detection(head: Any, name: str, pose: Sequence[float], score: float) -> Any:
    types: Mapping[str, Any] = known_types().types
    hypothesis = types["vision_msgs/msg/ObjectHypothesis"](class_id=name, score=score)
    center = pose_message(pose)
    covered = message("geometry_msgs/msg/PoseWithCovariance", pose=center, covariance=np.zeros(36))
    result = types["vision_msgs/msg/ObjectHypothesisWithPose"](hypothesis=hypothesis, pose=covered)
    bbox = types["vision_msgs/msg/BoundingBox3D"](center=center, size=vector_message((0, 0, 0)))
    make = types["vision_msgs/msg/Detection3D"]
    return make(header=head, results=[result], bbox=bbox, id="")
