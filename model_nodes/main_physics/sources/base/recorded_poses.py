"""Recorded poses of one topic, read and validated, and jumps that no robot's base can make."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.sources.bag import Bag, Int64s, ReadFault
from model_nodes.main_physics.sources.base.pose_messages import (
    FIELDS,
    InvalidPose,
    checked_pose,
    decode_pose,
)
from model_nodes.main_physics.sources.joint_facts import intervals, median
from model_nodes.main_physics.sources.joint_messages import DecodeError
from model_nodes.main_physics.sources.repairs import UsageReport, date_messages, moved_in


@dataclass(frozen=True, slots=True)
class RecordedPoses:
    """Poses over time.

    Attributes:
        origin: the topic or another origin, for messages.
        times_ns: (n,) run times [ns], strictly increasing.
        poses: (n, 7) x y z qw qx qy qz of `child` in `parent`.
        parent, child: names of the frames; may be empty.
        messages: (n,) number of each pose's message, from 1; None if the poses are not from a single topic.
        usage: account of the repaired times.
        fault: set if the poses could not be read to their end.
    """

    origin: str
    times_ns: Int64s
    poses: Floats
    parent: str = ""
    child: str = ""
    messages: Int64s | None = None
    usage: UsageReport = field(default_factory=UsageReport)
    fault: ReadFault | None = None

    def location(self, index: int) -> str:
        """Return the location of a pose in the recording, for errors."""
        if self.messages is None:
            return self.origin
        return f"{self.origin}, message {self.messages[index]}"


def read_poses(bag: Bag, topic: str, where: str, types: Collection[str] = FIELDS) -> RecordedPoses:
    """Read all poses of a topic, in chronological order; see `date_messages`.

    Args:
        bag: the recording.
        topic: name of the topic.
        where: key in the scenario that names the topic.
        types: permitted message types.

    Raises:
        BadInput: if there is no such topic, it has another type or no message, or a message has no valid pose.
    """
    type_name = _type(bag, topic, where, types)
    bag.check_fields(topic, type_name, FIELDS[type_name])
    stamps: list[int] = []
    logged: list[int] = []
    poses: list[tuple[float, ...]] = []
    frames: set[tuple[str, str]] = set()
    fault = None
    for number, message in enumerate(bag.messages([topic]), 1):
        if isinstance(message, ReadFault):
            fault = message
            break
        _, log_ns, raw = message
        location = f"{topic}, message {number}"
        try:
            stamped = decode_pose(raw, type_name)
            poses.append(checked_pose(stamped))
        except DecodeError as error:
            fault = ReadFault(log_ns, f"{bag.path}: {location} cannot be decoded: {error}")
            break
        except InvalidPose as error:
            raise BadInput(f"this is not a pose: {error}", file=bag.path, where=location) from None
        stamps.append(stamped.stamp_ns - bag.start_ns)
        logged.append(log_ns)
        frames.add((stamped.parent.lstrip("/"), stamped.child.lstrip("/")))
    if not stamps:
        raise _empty(bag, topic, where, fault)
    parent, child = _single_frame_pair(bag, topic, frames)
    table = np.array(poses)
    dated = date_messages(
        topic,
        np.array(stamps),
        np.array(logged),
        bag.start_ns,
        bag.tolerance_ns,
        moved_in(table),
    )
    usage, order = UsageReport(dated.repairs), dated.in_order()
    usage.count([topic], len(stamps), int(dated.kept.sum()))
    times = dated.times_ns[order]
    return RecordedPoses(topic, times, table[order], parent, child, order + 1, usage, fault)


def _type(bag: Bag, topic: str, where: str, types: Collection[str]) -> str:
    suitable = [t.name for t in bag.topics.values() if t.type in types]
    if topic not in bag.topics:
        raise BadInput(
            f"the recording {bag.path} has no topic {topic}",
            where=where,
            found=topic,
            expected=one_of(topic, suitable) if suitable else f"a topic of type {_listed(types)}",
        )
    summary = bag.require(topic, where)
    if summary.type not in types:
        raise BadInput(
            f"topic {topic} of the recording {bag.path} does not say where the base is",
            where=where,
            found=summary.type,
            expected=f"a topic of type {_listed(types)}"
            + (f", such as {suitable[0]}" if suitable else ""),
        )
    return summary.type


def _empty(bag: Bag, topic: str, where: str, fault: ReadFault | None) -> BadInput:
    if fault is not None:
        return BadInput(fault.reason, where=where, expected="messages that are whole")
    return BadInput(
        f"the recording {bag.path} has no message on {topic}",
        where=where,
        found="no message",
        expected="messages that say where the base is",
    )


def _single_frame_pair(bag: Bag, topic: str, frames: set[tuple[str, str]]) -> tuple[str, str]:
    if len(frames) > 1:
        raise BadInput(
            f"the poses on {topic} are between different frames",
            file=bag.path,
            where=topic,
            found="; ".join(
                sorted(f"{child or '?'} in {parent or '?'}" for parent, child in frames)
            ),
            expected="poses of one frame in one other, as one publisher sends them",
        )
    return frames.pop()


def _listed(types: Collection[str]) -> str:
    return " or ".join(types)


class JumpLimits(NamedTuple):
    """Limits for jumps of a base's translation or rotation.

    Attributes:
        step: minimum size of a jump [m or rad].
        speed: maximum speed of a base [m/s or rad/s].
        acceleration: maximum acceleration within one interval [m/s^2 or rad/s^2].
    """

    step: float
    speed: float
    acceleration: float


SHIFT_LIMITS = JumpLimits(0.05, 10.0, 20.0)
TURN_LIMITS = JumpLimits(0.15, 12.0, 100.0)
_NEIGHBOURS = 4
_SPEED_RATIO = 5.0
"""A step at most this many times as fast as the steps around it is motion."""


def first_jump(times_ns: Int64s, numbers: Floats) -> int | None:
    """Return the index of the sample before the first jump; None if there is none.

    A jump is a single step that stands out from the motion around it, and is faster than a base can drive, or than it
    can accelerate and brake within one interval. Jitter and bursts of stamps are not jumps: each interval counts as at
    least the usual one.

    Args:
        times_ns: (n,) increasing.
        numbers: (n, 6) numbers as in `path`.
    """
    if len(times_ns) < 2:
        return None
    seconds = intervals(times_ns)
    steps = np.diff(numbers, axis=0)
    shifts = np.linalg.norm(steps[:, :3], axis=1)
    angles = np.linalg.norm(steps[:, 3:], axis=1)
    jumps = _are_jumps(shifts, seconds, SHIFT_LIMITS) | _are_jumps(angles, seconds, TURN_LIMITS)
    found = np.flatnonzero(jumps)
    return int(found[0]) if len(found) else None


def _are_jumps(sizes: Floats, seconds: Floats, limits: JumpLimits) -> NDArray[np.bool_]:
    speeds = sizes / seconds
    fast = (speeds > limits.speed) | (speeds > limits.acceleration * seconds)
    return (sizes > limits.step) & fast & (speeds > _SPEED_RATIO * _median_nearby(speeds))


def _median_nearby(speeds: Floats) -> Floats:
    """(n,) the median speed of the steps around each step."""
    padded = np.pad(speeds, _NEIGHBOURS)
    window = np.lib.stride_tricks.sliding_window_view(padded, 2 * _NEIGHBOURS + 1)
    return median(np.delete(window, _NEIGHBOURS, axis=1))
