"""The components of Gazebo's entities, as the services that read and write a world's state encode them.

Gazebo writes poses and vectors as text with six significant digits, and reads as many as it is given; lists of numbers
are messages with all digits.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from model_nodes.main_physics.engines.gz.bindings import gazebo

_OFFSET, _PRIME, _BITS = 0xCBF29CE484222325, 0x100000001B3, 64


@cache
def type_id(name: str) -> int:
    """The number by which Gazebo knows a type of components: 64 bits of FNV-1a of its full name."""
    found = _OFFSET
    for byte in f"gz_sim_components.{name}".encode():
        found = (found ^ byte) * _PRIME % 2**_BITS
    return found


def text_of(vector: Any) -> bytes:
    """Encode one of Gazebo's vectors."""
    return _text((vector.x(), vector.y(), vector.z()))


def text_of_pose(pose: Any) -> bytes:
    """Encode one of Gazebo's poses: position, then roll, pitch and yaw."""
    return text_of(pose.pos()) + b" " + text_of(pose.rot().euler())


def vector_of(data: bytes) -> Any:
    """Decode a vector."""
    return gazebo().math.Vector3d(*(float(word) for word in data.split()))


def pose_of(data: bytes) -> Any:
    """Decode a pose."""
    x, y, z, roll, pitch, yaw = (float(word) for word in data.split())
    math = gazebo().math
    return math.Pose3d(math.Vector3d(x, y, z), math.Quaterniond(roll, pitch, yaw))


def message_of(values: Iterable[float]) -> bytes:
    """Encode a list of numbers."""
    encoded: bytes = gazebo().message("double_v_pb2", "Double_V")(data=values).SerializeToString()
    return encoded


def values_of(data: bytes) -> list[float]:
    """Decode a list of numbers."""
    return list(gazebo().message("double_v_pb2", "Double_V").FromString(data).data)


def _text(values: Iterable[float]) -> bytes:
    return " ".join(repr(value) for value in values).encode()
