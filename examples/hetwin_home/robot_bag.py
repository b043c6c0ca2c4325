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
        of_robot = [found for found in reader.connections if found.topic in PUBLISHED]
        copies = {}
        for found in of_robot:
            assert isinstance(found.msgdef, MessageDefinition)
            copies[found.id] = writer.add_connection(
                found.topic, found.msgtype, msgdef=found.msgdef.data, rihs01=found.digest
            )
        for found, received, data in reader.messages(of_robot):
            writer.write(copies[found.id], received, data)
