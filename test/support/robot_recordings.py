"""Recordings of real robots: where they lie, what they hold, and copies with something changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from hetwin_core.ensemble.resources import data_folder
from hetwin_core.ensemble.scene.values import Floats

JOINT_STATES = "/joint_states"
STORE = get_typestore(Stores.ROS2_JAZZY)
NS = 1_000_000_000

Stamped: TypeAlias = tuple[int, Any]
"""Log time in ns since the start of the recording, and the message."""
Change: TypeAlias = Callable[[Stamped], Iterable[Stamped]]


def needs(folder: str, *, robots: bool = False) -> pytest.MarkDecorator:
    """Skips where the recording or the robots' descriptions are absent."""
    missing = []
    if not (data_folder() / folder).is_dir():
        missing.append(f"{data_folder() / folder} (set HETWIN_DATA)")
    if robots and not _installed("example-robot-data"):
        missing.append("the package example-robot-data (the extra `robots`)")
    return pytest.mark.skipif(bool(missing), reason=f"needs {' and '.join(missing)}")


def _installed(distribution: str) -> bool:
    try:
        return bool(version(distribution))
    except PackageNotFoundError:
        return False


@dataclass(frozen=True)
class Recording:
    """Messages by topic, each with its log time in s since the start of the recording.

    Attributes:
        start_ns: log time of the first message.
    """

    start_ns: int
    messages: dict[str, list[tuple[float, Any]]]

    @classmethod
    def read(cls, folder: Path) -> Recording:
        """Read all messages."""
        messages: dict[str, list[tuple[float, Any]]] = {}
        with AnyReader([folder]) as reader:
            start_ns = reader.start_time
            for connection, time_ns, raw in reader.messages():
                message = reader.deserialize(raw, connection.msgtype)
                seconds = (time_ns - start_ns) / NS
                messages.setdefault(connection.topic, []).append((seconds, message))
        return cls(start_ns, messages)

    def series(
        self, topic: str, numbers: Callable[[Any], tuple[float, ...]]
    ) -> tuple[Floats, Floats]:
        """(n,) log times and (n, numbers) what `numbers` takes from each message."""
        rows = self.messages[topic]
        return np.array([t for t, _ in rows]), np.array([numbers(m) for _, m in rows])

    def joint(self, name: str) -> tuple[Floats, Floats]:
        """(n,) log times and (n,) positions of one joint."""
        rows = [(t, m) for t, m in self.messages[JOINT_STATES] if name in m.name]
        positions = [m.position[list(m.name).index(name)] for _, m in rows]
        return np.array([t for t, _ in rows]), np.array(positions)


def joint_states_only(
    source: Path,
    out: Path,
    change: Change = lambda stamped: [stamped],
    *,
    marker: bool = False,
    begin_ns: int = 0,
) -> Path:
    """Copy a recording with nothing in it but `/joint_states`, each message changed by `change`.

    Args:
        source: the recording.
        out: folder to write; must not exist.
        change: what becomes of a message: none, one or several.
        marker: one message of another topic marks where the copied part began.
        begin_ns: where that is in the original; log times count from there.
    """
    changed: list[Stamped] = []
    with AnyReader([source]) as reader:
        start = reader.start_time + begin_ns
        connections = [c for c in reader.connections if c.topic == JOINT_STATES]
        for connection, time_ns, raw in reader.messages(connections, start):
            changed += change((time_ns - start, reader.deserialize(raw, connection.msgtype)))
    changed.sort(key=lambda stamped: stamped[0])
    writer = Writer(out, version=9, storage_plugin=StoragePlugin.MCAP)
    with writer:
        if marker:
            empty = "std_msgs/msg/Empty"
            other = writer.add_connection("/recording_began", empty, typestore=STORE)
            writer.write(other, start, bytes(STORE.serialize_cdr(STORE.types[empty](), empty)))
        kind = "sensor_msgs/msg/JointState"
        joints = writer.add_connection(JOINT_STATES, kind, typestore=STORE)
        for time_ns, message in changed:
            writer.write(joints, start + time_ns, bytes(STORE.serialize_cdr(message, kind)))
    return out


def moved(stamped: Stamped, by_ns: int) -> Stamped:
    """The same message, logged and stamped at another time."""
    time_ns, message = stamped
    before = message.header.stamp
    sec, nanosec = divmod(before.sec * NS + before.nanosec + by_ns, NS)
    stamp = STORE.types["builtin_interfaces/msg/Time"](sec=sec, nanosec=nanosec)
    header = STORE.types["std_msgs/msg/Header"](stamp=stamp, frame_id=message.header.frame_id)
    return time_ns + by_ns, _joint_state(message, header, message.position)


def with_position(stamped: Stamped, joint: str, position: float) -> Stamped:
    """The same message with another position of one joint."""
    time_ns, message = stamped
    positions = message.position.copy()
    positions[list(message.name).index(joint)] = position
    return time_ns, _joint_state(message, message.header, positions)


def _joint_state(message: Any, header: Any, positions: Floats) -> Any:
    return STORE.types["sensor_msgs/msg/JointState"](
        header=header,
        name=list(message.name),
        position=positions,
        velocity=message.velocity,
        effort=message.effort,
    )
