"""Recordings of robots as rosbag2 in MCAP, written as a recorder would have received them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import Encoded, Topic
from hetwin_core.episodes.messages import header, typestore
from hetwin_core.episodes.run_messages import encoded


def recording_writer(folder: Path) -> Writer:
    """Return what writes a compressed recording into a folder that must not exist; it is a context manager."""
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    return writer


def write_recording(
    folder: Path,
    messages: Iterable[Encoded],
    topics: Iterable[Topic] = (),
    types: Typestore | None = None,
) -> None:
    """Write messages by their times, those of the same time in their order.

    Args:
        folder: the bag; must not exist.
        messages: the times are those at which a recorder receives them.
        topics: that come first, and are in the recording even without a message.
        types: that define the messages; None: those of a log.
    """
    rows = sorted(messages, key=lambda message: message.time_ns)
    store = typestore() if types is None else types
    with recording_writer(folder) as writer:
        kinds = {topic.logged_name: topic.type for topic in topics}
        kinds |= {row.topic.logged_name: row.topic.type for row in rows}
        connections = {
            name: writer.add_connection(name, kind, typestore=store) for name, kind in kinds.items()
        }
        for topic, time_ns, data in rows:
            writer.write(connections[topic.logged_name], time_ns, data)


def joint_state(
    topic: Topic,
    received_ns: int,
    stamp_ns: int,
    names: Sequence[str],
    positions: Floats,
    velocities: Floats | None = None,
    efforts: Floats | None = None,
    *,
    frame: str = "",
) -> Encoded:
    """``sensor_msgs/msg/JointState``; what is None is left out."""
    none = np.zeros(0)
    return encoded(
        topic,
        received_ns,
        header=header(stamp_ns, frame),
        name=list(names),
        position=np.ascontiguousarray(positions),
        velocity=none if velocities is None else np.ascontiguousarray(velocities),
        effort=none if efforts is None else np.ascontiguousarray(efforts),
    )
