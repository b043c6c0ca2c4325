"""Reads the joint states of a recording as arrays, and writes them back with all other messages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from rosbags.highlevel import AnyReader, AnyReaderError
from rosbags.interfaces import ConnectionExtRosbag2
from rosbags.rosbag2 import Writer
from rosbags.typesys.store import Typestore

from hetwin_bauer2022.mismatch.joint_states import JointStates
from hetwin_suite.episode import (
    JOINT_STATES,
    joint_state,
    known_types,
    nanoseconds,
    recording_writer,
)
from hetwin_suite.model import Floats
from hetwin_suite.runs import BadInput

if TYPE_CHECKING:
    from rosbags.interfaces import Connection


class Message(NamedTuple):
    """A serialised message in the file.

    Attributes:
        received: time of reception [ns].
        order: index of the message in the recording.
        topic: topic of its connection.
        data: serialised content.
    """

    received: int
    order: int
    topic: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Recording:
    """A rosbag2.

    Attributes:
        joint_states: joint states of each publisher, one entry per set of joints.
        others: all other messages.
        connections: topic -> its connection.
        types: type store of the messages.
    """

    joint_states: list[JointStates]
    others: list[Message]
    connections: dict[str, Connection]
    types: Typestore


class _Group(NamedTuple):
    """The common properties of messages whose numbers form one table."""

    connection: int
    topic: str
    frame: str
    names: tuple[str, ...]
    velocities: int
    efforts: int


def read_recording(folder: Path) -> Recording:
    """Read a rosbag2.

    Raises:
        BadInput: if it cannot be read.
    """
    with _open_reader(folder) as reader:
        return _read(reader)


def start_time_ns(folder: Path) -> int:
    """Return the time at which the first message was received [ns].

    Raises:
        BadInput: if the recording cannot be read.
    """
    with _open_reader(folder) as reader:
        return reader.start_time


def write_recording(folder: Path, recording: Recording) -> None:
    """Write a rosbag2 in MCAP, in the order of reception.

    Args:
        folder: must not exist.
        recording: its messages, in any order.
    """
    messages = [*recording.others]
    for states in recording.joint_states:
        messages += _serialized(states)
    messages.sort(key=lambda m: (m.received, m.order))
    with recording_writer(folder) as writer:
        connections = {
            topic: _add_connection(writer, connection, recording.types)
            for topic, connection in recording.connections.items()
        }
        for message in messages:
            writer.write(connections[message.topic], message.received, message.data)


@contextmanager
def _open_reader(folder: Path) -> Iterator[AnyReader]:
    try:
        with AnyReader([folder], default_typestore=known_types()) as reader:
            yield reader
    except (AnyReaderError, OSError) as error:
        raise BadInput(
            f"the recording cannot be read: {error}", file=folder, expected="a rosbag2"
        ) from error


def _read(reader: AnyReader) -> Recording:
    connections = {connection.topic: connection for connection in reader.connections}
    others: list[Message] = []
    read: dict[_Group, list[tuple[int, int, Any]]] = defaultdict(list)
    for order, (connection, received, raw) in enumerate(reader.messages()):
        if connection.msgtype != JOINT_STATES.type:
            others.append(Message(received, order, connection.topic, bytes(raw)))
            continue
        message: Any = reader.deserialize(raw, connection.msgtype)
        group = _Group(
            connection.id,
            connection.topic,
            message.header.frame_id,
            tuple(message.name),
            len(message.velocity),
            len(message.effort),
        )
        read[group].append((received, order, message))
    joint_states = [
        _joint_states(group, messages_of_group) for group, messages_of_group in read.items()
    ]
    return Recording(joint_states, others, connections, reader.typestore)


def _joint_states(group: _Group, messages_of_group: Sequence[tuple[int, int, Any]]) -> JointStates:
    messages = [message for _, _, message in messages_of_group]
    stamps = [nanoseconds(m.header.stamp) for m in messages]
    return JointStates(
        group.topic,
        group.frame,
        group.names,
        np.array(stamps, np.int64),
        np.array([received for received, _, _ in messages_of_group], np.int64),
        np.array([order for _, order, _ in messages_of_group], np.int64),
        *(_table(messages, field) for field in ("position", "velocity", "effort")),
    )


def _table(messages: Sequence[Any], field: str) -> Floats:
    return np.array([getattr(message, field) for message in messages], np.float64)


def _serialized(states: JointStates) -> Iterator[Message]:
    for i, received in enumerate(states.received.tolist()):
        stamp, numbers = (
            int(states.stamps[i]),
            (states.positions[i], states.velocities[i], states.efforts[i]),
        )
        encoded = joint_state(
            JOINT_STATES, received, stamp, states.names, *numbers, frame=states.frame
        )
        yield Message(received, int(states.order[i]), states.topic, bytes(encoded.data))


def _add_connection(writer: Writer, connection: Connection, types: Typestore) -> Connection:
    ext = connection.ext
    if not isinstance(ext, ConnectionExtRosbag2):
        raise BadInput(
            "a recording of ROS 1 cannot be written again", found=connection.topic, expected="ROS 2"
        )
    return writer.add_connection(
        connection.topic,
        connection.msgtype,
        typestore=types,
        serialization_format=ext.serialization_format,
        offered_qos_profiles=ext.offered_qos_profiles,
    )
