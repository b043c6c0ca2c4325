"""Looks into a recording."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_suite.scaffolding.contents import Contents, JointSeries, TopicFacts
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.bag_types import JOINT_STATE
from model_nodes.main_physics.sources.recorded_joints import read_joints


def look_into(path: Path) -> Contents:
    """Read topics and joints.

    Raises:
        BadInput: if it is no recording, or nothing in it moves a robot.
    """
    bag = Bag(path)
    try:
        logged: dict[str, list[int]] = {name: [] for name in bag.topics}
        for message in bag.messages(list(bag.topics)):
            if isinstance(message, ReadFault):
                raise RunFailed("recording", "read", message.time_ns, message.reason)
            logged[message[0]].append(message[1])
        topics = tuple(
            _facts(summary.name, summary.type, logged[summary.name])
            for summary in bag.topics.values()
        )
        joint_topics = tuple(t.name for t in topics if t.type == JOINT_STATE and t.count)
        if not joint_topics:
            raise BadInput(
                "the recording holds no joint states",
                file=path,
                found=", ".join(str(t) for t in bag.topics.values()),
                expected=f"a topic of type {JOINT_STATE}",
            )
        recorded = read_joints(bag, joint_topics, {})
        joints = {
            name: JointSeries(series.times_ns, series.positions[:, i])
            for series in recorded.series
            for i, name in enumerate(series.names)
        }
        return Contents(
            path, bag.duration_ns / 1e9, topics, joint_topics, joints, "", tuple(recorded.notes)
        )
    finally:
        bag.close()


def _facts(name: str, kind: str, logged: list[int]) -> TopicFacts:
    if len(logged) < 2:
        return TopicFacts(name, kind, len(logged), None, None)
    times = np.sort(np.array(logged, np.int64)) / 1e9
    span = float(times[-1] - times[0])
    rate = (len(logged) - 1) / span if span > 0 else None
    return TopicFacts(name, kind, len(logged), rate, float(np.diff(times).max()))
