"""How a recording says where its robot was, and when."""

from __future__ import annotations

from enum import StrEnum


class JointsFrom(StrEnum):
    """Where a recording says how the joints move."""

    JOINT_STATES = "joint_states"
    """In messages of type sensor_msgs/msg/JointState."""
    TF = "tf"
    """In transforms between the links' frames, read with the robot's kinematics."""


class Stamps(StrEnum):
    """What says when a message of a recording was sent."""

    HEADER = "header"
    """The stamps of joint states, which date all messages: simulated time, where a simulation published them."""
    LOG = "log"
    """When the recorder received it."""


class Units(StrEnum):
    """Units in which a robot published positions that are not SI units."""

    DEGREES = "degrees"
    """Of joints that turn."""
    MILLIMETRES = "millimetres"
    """Of joints that slide."""
