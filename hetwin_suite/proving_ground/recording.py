"""Writes an episode as a rosbag2 recording in MCAP, without ROS."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from hetwin_core.ensemble.topics import ANNOTATIONS, JOINT_STATES
from hetwin_suite.proving_ground.motion import Announcement
from hetwin_suite.proving_ground.sensing import Reading

if TYPE_CHECKING:
    from rosbags.typesys.store import Msg


def typestore(interfaces: Path) -> Typestore:
    """Return the message types of a ROS 2 installation, and hetwin's annotation.

    Args:
        interfaces: folder of the `.msg` files.
    """
    store = get_typestore(Stores.ROS2_JAZZY)
    text = (interfaces / "ActionAnnotation.msg").read_text(encoding="utf-8")
    store.register(get_types_from_msg(text, ANNOTATIONS.type))
    return store


def write_bag(
    folder: Path,
    store: Typestore,
    start_ns: int,
    readings: Sequence[Reading],
    announcements: Sequence[Announcement],
    random: np.random.Generator,
    namespace: str = "",
) -> None:
    """Write the messages in the order in which a recorder would have received them.

    Args:
        folder: the bag; must not exist.
        start_ns: stamp of time 0.
        random: for the delays between a message's stamp and its reception.
        namespace: of the robot's topics.
    """
    messages = [
        (
            _received(start_ns, r.time, random),
            JOINT_STATES,
            _joint_state(store, start_ns, r),
        )
        for r in readings
    ]
    received = 0
    for announcement in announcements:
        # One publisher's messages arrive in the order in which it sent them.
        received = max(received + 1, _received(start_ns, announcement.time, random))
        data = _annotation(store, start_ns, announcement)
        messages.append((received, ANNOTATIONS, data))
    messages.sort(key=lambda item: item[0])
    prefix = f"/{namespace}" if namespace else ""
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin.MCAP)
    writer.set_compression(CompressionMode.STORAGE, CompressionFormat.ZSTD)
    with writer:
        connections = {
            topic: writer.add_connection(prefix + topic.logged_name, topic.type, typestore=store)
            for topic in (JOINT_STATES, ANNOTATIONS)
        }
        for received, topic, data in messages:
            writer.write(connections[topic], received, data)


def _received(start_ns: int, time: float, random: np.random.Generator) -> int:
    """Return the time of reception by a recorder: a few tenths of a millisecond after the stamp."""
    return start_ns + round(time * 1e9) + int(150_000 + random.gamma(2.0, 60_000.0))


def header(store: Typestore, start_ns: int, time: float) -> Msg:
    """Return a header with the stamp of a time [s] since `start_ns`."""
    stamp = start_ns + round(time * 1e9)
    types = store.types
    return types["std_msgs/msg/Header"](
        stamp=types["builtin_interfaces/msg/Time"](
            sec=stamp // 1_000_000_000, nanosec=stamp % 1_000_000_000
        ),
        frame_id="",
    )


def _joint_state(store: Typestore, start_ns: int, reading: Reading) -> bytes:
    message = store.types[JOINT_STATES.type](
        header=header(store, start_ns, reading.time),
        name=list(reading.joints),
        position=reading.positions,
        velocity=reading.velocities,
        effort=reading.efforts,
    )
    return bytes(store.serialize_cdr(message, JOINT_STATES.type))


def _annotation(store: Typestore, start_ns: int, announcement: Announcement) -> bytes:
    message = store.types[ANNOTATIONS.type](
        header=header(store, start_ns, announcement.time),
        operation=announcement.operation,
        phase=announcement.phase,
        arguments=json.dumps(announcement.arguments) if announcement.arguments else "",
    )
    return bytes(store.serialize_cdr(message, ANNOTATIONS.type))
