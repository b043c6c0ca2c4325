"""Writes an episode as a rosbag2 recording in MCAP, without ROS."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import ANNOTATIONS, JOINT_STATES, Encoded, robot_topic
from hetwin_core.episodes.bag import joint_state, write_recording
from hetwin_core.episodes.messages import header
from hetwin_core.episodes.run_messages import encoded


@dataclass(frozen=True, slots=True)
class Announcement:
    """An action annotation of the robot's program, at `time` seconds after the start."""

    time: float
    operation: str
    phase: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Reading:
    """One JointState message of a driver; SI units, one number per joint.

    Attributes:
        targets: commanded positions as reported in the controller's state; None if unknown.
    """

    time: float
    joints: tuple[str, ...]
    positions: Floats
    velocities: Floats
    efforts: Floats
    targets: Floats | None = None


def write_bag(
    folder: Path,
    start_ns: int,
    readings: Sequence[Reading],
    announcements: Sequence[Announcement],
    random: np.random.Generator,
    namespace: str = "",
    also: Iterable[Encoded] = (),
    types: Typestore | None = None,
) -> None:
    """Write the messages in the order in which a recorder would have received them.

    Args:
        folder: the bag; must not exist.
        start_ns: stamp of time 0.
        readings: joint states.
        announcements: action annotations, by time.
        random: generator of the delays between a message's stamp and its reception.
        namespace: namespace of the robot's topics.
        also: further messages, with their reception times.
        types: type store that defines all messages; None: that of hetwin's logs.
    """
    joints, annotations = robot_topic(JOINT_STATES, namespace), robot_topic(ANNOTATIONS, namespace)
    messages = [
        joint_state(
            joints,
            _reception_time_ns(start_ns, r.time, random),
            _stamp_ns(start_ns, r.time),
            r.joints,
            r.positions,
            r.velocities,
            r.efforts,
        )
        for r in readings
    ]
    received = 0
    for announcement in announcements:
        # Messages of one publisher arrive in order.
        received = max(received + 1, _reception_time_ns(start_ns, announcement.time, random))
        message = encoded(
            annotations,
            received,
            header=header(_stamp_ns(start_ns, announcement.time)),
            operation=announcement.operation,
            phase=announcement.phase,
            arguments=json.dumps(announcement.arguments) if announcement.arguments else "",
        )
        messages.append(message)
    write_recording(folder, [*messages, *also], (joints, annotations), types)


def _reception_time_ns(start_ns: int, time: float, random: np.random.Generator) -> int:
    """Return the time of reception by a recorder: a few tenths of a millisecond after the stamp."""
    return _stamp_ns(start_ns, time) + int(150_000 + random.gamma(2.0, 60_000.0))


def _stamp_ns(start_ns: int, time: float) -> int:
    return start_ns + round(time * 1e9)
