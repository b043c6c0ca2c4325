"""The message types of a log: the common ones, and hetwin's own from their definitions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from rosbags.typesys import get_types_from_msg

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.ensemble.topics import HETWIN_TYPES
from hetwin_core.episodes.common_interfaces import DEFINITIONS
from hetwin_core.episodes.lazy_typestore import LazyTypestore


@cache
def typestore() -> LazyTypestore:
    """All types that a log uses.

    The common interfaces that a log needs are the same in every distribution from Jazzy on, hashes included.

    Raises:
        BadInput: if this installation lacks hetwin's message definitions.
    """
    first, rest = DEFINITIONS.removeprefix("MSG: ").split("\n", 1)
    types = dict(get_types_from_msg(rest, first))
    for path in sorted(resource("msg").glob("*.msg")):
        types.update(get_types_from_msg(path.read_text(encoding="utf-8"), HETWIN_TYPES + path.stem))
    store = LazyTypestore()
    store.register(types)
    return store


def definition(typename: str) -> str:
    """The text that defines a type, with those of all types that it has, as bags carry it."""
    text, _ = typestore().generate_msgdef(typename, ros_version=2)
    return str(text)


def message(typename: str, **fields: object) -> Any:
    """Make a message of a type, e.g. ``message("std_msgs/msg/String", data="...")``."""
    make: Any = typestore().types[typename]
    return make(**fields)


def stamp(time_ns: int) -> Any:
    """A ``builtin_interfaces/Time``."""
    sec, nanosec = divmod(time_ns, 1_000_000_000)
    return message("builtin_interfaces/msg/Time", sec=sec, nanosec=nanosec)


def nanoseconds(time: Any) -> int:
    """Inverse of `stamp`."""
    return int(time.sec) * 1_000_000_000 + int(time.nanosec)


def header(time_ns: int, frame: str = "") -> Any:
    """A ``std_msgs/Header``."""
    return message("std_msgs/msg/Header", stamp=stamp(time_ns), frame_id=frame)


def point_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Point``."""
    return _vector("Point", row)


def vector_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Vector3``."""
    return _vector("Vector3", row)


def _vector(kind: str, row: Iterable[float]) -> Any:
    x, y, z = row
    return message(f"geometry_msgs/msg/{kind}", x=float(x), y=float(y), z=float(z))


def quaternion_message(row: Iterable[float]) -> Any:
    """A ``geometry_msgs/Quaternion`` from w, x, y, z."""
    w, x, y, z = map(float, row)
    return message("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def pose_message(row: Sequence[float] | Floats) -> Any:
    """A ``geometry_msgs/Pose`` from x y z, qw qx qy qz."""
    place, turn = point_message(row[:3]), quaternion_message(row[3:7])
    return message("geometry_msgs/msg/Pose", position=place, orientation=turn)


def colour_message(rgba: Iterable[float]) -> Any:
    """A ``std_msgs/ColorRGBA``."""
    r, g, b, a = map(float, rgba)
    return message("std_msgs/msg/ColorRGBA", r=r, g=g, b=b, a=a)
