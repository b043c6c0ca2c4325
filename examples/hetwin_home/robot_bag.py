"""Extracts a robot's recording from the log of a simulation: only the messages that a robot publishes."""

from __future__ import annotations

from pathlib import Path

from rosbags.interfaces import MessageDefinition
from rosbags.rosbag2 import Reader

from hetwin_suite.episode import ANNOTATIONS, JOINT_STATES, recording_writer

PUBLISHED = (JOINT_STATES.logged_name, "/odom", "/tf", "/tf_static", ANNOTATIONS.logged_name)


def write_robot_bag(log: Path, bag: Path) -> None:
    """Copy the messages that a robot publishes, with unchanged stamps and order.

    Args:
        log: path of the rosbag2 of a run.
        bag: path of the rosbag2 to write; must not exist.
    """
    with Reader(log) as reader, recording_writer(bag) as writer:
        connections = [
            connection for connection in reader.connections if connection.topic in PUBLISHED
        ]
        copies = {}
        for connection in connections:
            assert isinstance(connection.msgdef, MessageDefinition)
            copies[connection.id] = writer.add_connection(
                connection.topic,
                connection.msgtype,
                msgdef=connection.msgdef.data,
                rihs01=connection.digest,
            )
        for connection, received, data in reader.messages(connections):
            writer.write(copies[connection.id], received, data)
