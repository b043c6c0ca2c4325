"""Reader of wheel angles and true poses in a rosbag2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hetwin_calibration.drives.drive import Recording
from hetwin_calibration.least_squares import Floats
from hetwin_suite.command import BadInput
from hetwin_suite.episode import Bag, ReadFault, TopicSummary, list_topics, nanoseconds

_JOINT_STATES = "sensor_msgs/msg/JointState"
_POSES: dict[str, Callable[[Any], Any]] = {
    "geometry_msgs/msg/PoseStamped": lambda message: message.pose,
    "geometry_msgs/msg/PoseWithCovarianceStamped": lambda message: message.pose.pose,
    "nav_msgs/msg/Odometry": lambda message: message.pose.pose,
}
_SIDES = ("left", "right")


def read_bag(log: Path, wheels: Sequence[str] | None, truth: str | None) -> Recording:
    """Return the recording in a bag, with the stamps of the messages' headers.

    Args:
        log: path of the bag.
        wheels: joints of the left and the right wheel; None: found by their names.
        truth: topic of the true poses; None: the only topic with poses.

    Raises:
        BadInput: if the bag cannot be read, or has no such joints or poses.
    """
    bag = Bag(log)
    try:
        topic = _truth(bag, truth)
        joint_topics = [t.name for t in bag.topics.values() if t.type == _JOINT_STATES]
        if not joint_topics:
            raise BadInput(
                "the recording has no joint states",
                file=log,
                found=list_topics(bag.topics.values()),
                expected=f"a topic of {_JOINT_STATES}",
            )
        wheel_times, angles = _wheels(bag, joint_topics, wheels)
        times, poses = _poses(bag, topic)
    finally:
        bag.close()
    start = min(wheel_times[0], times[0])
    headings = np.unwrap(2.0 * np.arctan2(poses[:, 3], poses[:, 2]))
    return Recording(str(log), wheel_times - start, angles, times - start, poses[:, :2], headings)


def _truth(bag: Bag, name: str | None) -> TopicSummary:
    if name is not None:
        topic = bag.require(name, "--truth")
        if topic.type in _POSES:
            return topic
        found: object = str(topic)
    else:
        topics = [topic for topic in bag.topics.values() if topic.type in _POSES]
        if len(topics) == 1:
            return topics[0]
        found = list_topics(topics) if topics else list_topics(bag.topics.values())
    raise BadInput(
        "the topic of the true poses is not clear",
        file=bag.path,
        where="--truth",
        found=found,
        expected=f"one topic of {', '.join(_POSES)}",
    )


def _wheels(bag: Bag, topics: Sequence[str], wheels: Sequence[str] | None) -> tuple[Floats, Floats]:
    """Return times (n,) [s] and angles (n, 2) [rad] of the left and the right wheel."""
    rows: dict[int, tuple[float, float]] = {}
    seen: set[str] = set()
    joints = wheels
    for message in _decoded(bag, topics):
        names = list(message.name)
        seen.update(names)
        if joints is None:
            joints = _by_name(names)
        if joints is None or not set(joints) <= set(names):
            continue
        left, right = (float(message.position[names.index(joint)]) for joint in joints)
        rows[nanoseconds(message.header.stamp)] = left, right
    if len(rows) < 2 or joints is None:
        raise BadInput(
            "the recording has no such wheels",
            file=bag.path,
            where="--wheels",
            found=None if wheels is None else ",".join(wheels),
            expected=f"the joints LEFT,RIGHT of {', '.join(sorted(seen)) or 'the recording'}",
        )
    stamps = sorted(rows)
    angles = np.array([rows[stamp] for stamp in stamps], dtype=np.float64)
    _check_numbers(bag, "--wheels", angles)
    return np.array(stamps, dtype=np.float64) * 1e-9, angles


def _by_name(names: Sequence[str]) -> list[str] | None:
    """Return the joints whose names have left and right (and wheel); None if they are ambiguous."""
    wheels = [name for name in names if "wheel" in name.lower()] or list(names)
    sides = [[name for name in wheels if side in name.lower()] for side in _SIDES]
    return [side[0] for side in sides] if all(len(side) == 1 for side in sides) else None


def _poses(bag: Bag, topic: TopicSummary) -> tuple[Floats, Floats]:
    """Return times (m,) [s], and x, y [m], qw, qz (m, 4) of the true poses."""
    rows: dict[int, tuple[float, ...]] = {}
    for message in _decoded(bag, [topic.name]):
        pose = _POSES[topic.type](message)
        place, turn = pose.position, pose.orientation
        rows[nanoseconds(message.header.stamp)] = place.x, place.y, turn.w, turn.z
    if len(rows) < 2:
        raise BadInput(
            "the recording has too few poses",
            file=bag.path,
            where=topic.name,
            found=len(rows),
            expected="at least 2",
        )
    stamps = sorted(rows)
    poses = np.array([rows[stamp] for stamp in stamps], dtype=np.float64)
    _check_numbers(bag, topic.name, poses)
    return np.array(stamps, dtype=np.float64) * 1e-9, poses


def _check_numbers(bag: Bag, where: str, values: Floats) -> None:
    if not np.isfinite(values).all():
        raise BadInput(
            "a value is not a finite number", file=bag.path, where=where, expected="numbers"
        )


def _decoded(bag: Bag, topics: Sequence[str]) -> Any:
    decoders = {topic: bag.decoder(topic) for topic in topics}
    for item in bag.messages(topics):
        if isinstance(item, ReadFault):
            raise BadInput(item.reason, file=bag.path, expected="a recording that is whole")
        topic, _, raw = item
        yield decoders[topic](raw)
