"""The message types of a log: the common ones, and hetwin's own from their definitions."""

from __future__ import annotations

from functools import cache
from typing import Any

from rosbags.typesys import get_types_from_msg

from hetwin_core.ensemble.resources import resource
from hetwin_core.ensemble.topics import HETWIN_TYPES
from hetwin_core.projection.common_interfaces import DEFINITIONS
from hetwin_core.projection.lazy_typestore import LazyTypestore


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
