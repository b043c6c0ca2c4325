"""Decodes stamped messages of a robot's pose, and relates their frames to the robot's links."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.joint_messages import (
    LITTLE_ENDIAN,
    ORIGIN,
    STAMP,
    DecodeError,
    align,
    read_string,
)
from model_nodes.main_physics.sources.transforms import StampedTransform
from model_nodes.main_physics.world.description import IDENTITY, Body, JointKind, Pose
from model_nodes.main_physics.world.transforms import compose

ODOMETRY = "nav_msgs/msg/Odometry"
POSE = "geometry_msgs/msg/PoseStamped"
POSE_WITH_COVARIANCE = "geometry_msgs/msg/PoseWithCovarianceStamped"
TRANSFORM = "geometry_msgs/msg/TransformStamped"

FIELDS: Mapping[str, tuple[str, ...]] = {
    ODOMETRY: ("header", "child_frame_id", "pose", "twist"),
    POSE: ("header", "pose"),
    POSE_WITH_COVARIANCE: ("header", "pose"),
    TRANSFORM: ("header", "child_frame_id", "transform"),
}
"""Types of messages with a pose -> their fields."""

_NUMBERS = struct.Struct("<7d")
OFF_UNIT = 0.1
"""Maximum deviation of a quaternion's norm from 1."""


class InvalidPose(Exception):
    """Seven numbers are not a pose; the text states what was found and expected."""


def decode_pose(raw: bytes, type_name: str) -> StampedTransform:
    """Decode a message (little-endian CDR) of one of the types in `FIELDS`; covariances and twists are not read.

    Raises:
        DecodeError: if the payload is truncated or of another type.
    """
    if raw[:2] != LITTLE_ENDIAN:
        raise DecodeError(f"it begins with {raw[:4]!r}, expected little-endian CDR")
    try:
        seconds, nanoseconds = STAMP.unpack_from(raw, ORIGIN)
        parent, offset = read_string(raw, ORIGIN + STAMP.size)
        child = ""
        if "child_frame_id" in FIELDS[type_name]:
            child, offset = read_string(raw, align(offset, 4))
        numbers = _NUMBERS.unpack_from(raw, align(offset, 8))
    except (struct.error, UnicodeDecodeError) as error:
        raise DecodeError(str(error)) from error
    return StampedTransform(parent, child, seconds * 1_000_000_000 + nanoseconds, numbers)


def checked_pose(transform: StampedTransform) -> Pose:
    """Return the pose of a message with a unit quaternion.

    Raises:
        InvalidPose: if a number is not finite, or the quaternion is not a unit quaternion.
    """
    x, y, z, i, j, k, w = transform.numbers
    if not all(map(math.isfinite, transform.numbers)):
        raise InvalidPose(f"{transform.numbers}, expected finite numbers")
    norm = math.sqrt(w * w + i * i + j * j + k * k)
    if abs(norm - 1.0) > OFF_UNIT:
        raise InvalidPose(f"a quaternion of norm {norm:.3g}, expected 1")
    return (x, y, z, w / norm, i / norm, j / norm, k / norm)


def frame_in_root(robot: Body, frame: str, location: str) -> Pose:
    """Return the pose of a frame in the robot's root link; an empty name means the root link.

    Args:
        robot: the robot; its links may have a prefix in the messages.
        frame: name of the frame in the messages.
        location: location of the frame's name, for errors.

    Raises:
        BadInput: if no link has this name, or the link moves relative to the root link.
    """
    if not frame:
        return IDENTITY
    link = _link(robot, frame.lstrip("/"))
    root = robot.links[0].name
    if link is None:
        raise BadInput(
            f"the robot has no link {frame}, whose motion {location} describes",
            where="robot.base.odometry",
            found=frame,
            expected=f"{root} (the root link of {robot.name}), or a link that is fixed to it",
        )
    poses = {link_.name: link_.pose for link_ in robot.links}
    joint_of = {joint.child: joint for joint in robot.joints}
    pose = IDENTITY
    while link != root:
        joint = joint_of[link]
        if joint.kind is not JointKind.FIXED:
            raise BadInput(
                f"{location} describes the motion of {frame}, which joint {joint.name} moves against the root link",
                where="robot.base.odometry",
                found=frame,
                expected=f"{root} (the root link of {robot.name}), or a link that is fixed to it",
            )
        pose, link = compose(poses[link], pose), joint.parent
    return pose


def _link(robot: Body, frame: str) -> str | None:
    """Return the link with the name of a frame, if necessary without a prefix."""
    names = [link.name for link in robot.links]
    if frame in names:
        return frame
    candidates = [name for name in names if frame.endswith(("/" + name, "_" + name))]
    return max(candidates, key=len, default=None)
