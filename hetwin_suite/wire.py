"""Messages that robots publish and receive over ROS 2, and recordings of them.

A template serializes messages that differ only in their numbers. For example, the joint states of an arm::

    import numpy as np
    from hetwin_suite.wire import CdrTemplate, joint_state

    template = CdrTemplate(
        "sensor_msgs/msg/JointState",
        lambda blanks: joint_state(["elbow"], ("position",), blanks),
    )
    print(len(template.fill(1_000_000_000, np.array([0.5]))))
"""

from __future__ import annotations

from hetwin_core.ensemble.topics import ODOMETRY_TOPIC, SCAN_TOPIC
from hetwin_core.episodes.frame_messages import Frame, frames_template
from hetwin_core.episodes.messages import CdrTemplate, message
from hetwin_core.episodes.periodic_messages import joint_state, odometry, scan
from hetwin_core.wire.publishing import PublishedTopics, message_class
from model_nodes.main_physics.sources.annotations import TypedReader
from model_nodes.main_physics.sources.bag import Bag, ReadFault
from model_nodes.main_physics.sources.bag_types import ACTION_ANNOTATION, JOINT_STATE
from model_nodes.main_physics.sources.event_stream import EventReader
from model_nodes.main_physics.sources.joint_messages import DecodeError, JointMessageDecoder
from model_nodes.main_physics.sources.live.link import RobotLink
from model_nodes.main_physics.sources.live.readers import known_types, readers_of, since_start
from model_nodes.main_physics.sources.live.report import FOLLOWS, OK, STATUS, WARN

__all__ = [
    "ACTION_ANNOTATION",
    "FOLLOWS",
    "JOINT_STATE",
    "ODOMETRY_TOPIC",
    "OK",
    "SCAN_TOPIC",
    "STATUS",
    "WARN",
    "Bag",
    "CdrTemplate",
    "DecodeError",
    "EventReader",
    "Frame",
    "JointMessageDecoder",
    "PublishedTopics",
    "ReadFault",
    "RobotLink",
    "TypedReader",
    "frames_template",
    "joint_state",
    "known_types",
    "message",
    "message_class",
    "odometry",
    "readers_of",
    "scan",
    "since_start",
]
