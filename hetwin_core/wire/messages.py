"""Filling and reading messages without knowing ROS: by the names of their fields.

Long arrays are `array.array`: what the generated message classes keep without looking at each number, and what
numpy reads without copying.
"""

from __future__ import annotations

import json
from array import array
from typing import Any

import numpy as np

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints

NS = 1_000_000_000


def doubles(numbers: Floats) -> array[float]:
    """A float64 array for a message."""
    packed = array("d")
    packed.frombytes(numbers.tobytes())
    return packed


def ints(numbers: Ints) -> array[int]:
    """An int32 array for a message."""
    packed = array("i")
    packed.frombytes(numbers.tobytes())
    return packed


def fill_time(message: Any, time_ns: int) -> None:
    """Fill a ``builtin_interfaces/Time``; times before 0 are not negative seconds only."""
    message.sec, message.nanosec = divmod(time_ns, NS)


def read_time(message: Any) -> int:
    """Nanoseconds of a ``builtin_interfaces/Time``."""
    return int(message.sec) * NS + int(message.nanosec)


def fill_state(message: Any, scene: Snapshot, step: int = 0) -> None:
    """Fill a ``hetwin/SceneState``."""
    fill_time(message.stamp, scene.time_ns)
    message.step = step
    message.values = doubles(scene.values)
    message.owners = ints(scene.owners)
    message.parents = ints(scene.parents)
    message.proximity = doubles(scene.proximity)


def read_state(message: Any, layout: Layout, models: tuple[str, ...]) -> Snapshot:
    """Read a ``hetwin/SceneState``, without copying its numbers."""
    return Snapshot(
        layout,
        models,
        read_time(message.stamp),
        np.frombuffer(message.values, np.float64),
        np.frombuffer(message.owners, np.int32),
        np.frombuffer(message.parents, np.int32),
        _rows(message.proximity),
    )


def fill_event(message: Any, event: Event) -> Any:
    """Fill a ``hetwin/Event`` and answer it."""
    fill_time(message.stamp, event.time_ns)
    message.name = event.name
    message.kind = event.kind.value
    message.source = event.source
    message.sequence = event.sequence
    try:
        message.arguments = json.dumps(dict(event.arguments))
    except (TypeError, ValueError) as error:
        raise ValueError(f"the arguments of the event {event.name} must be JSON: {error}") from None
    return message


def read_event(message: Any) -> Event:
    """Read a ``hetwin/Event``.

    Raises:
        ValueError: if its kind is unknown, or its arguments are no JSON object.
    """
    arguments = json.loads(message.arguments) if message.arguments else {}
    if not isinstance(arguments, dict):
        raise ValueError(f"arguments of {message.name!r} must be a JSON object, not {arguments!r}")
    return Event(
        message.name,
        read_time(message.stamp),
        EventKind(message.kind or "model"),
        message.source,
        message.sequence,
        arguments,
    )


def _rows(numbers: Any) -> Floats:
    return np.frombuffer(numbers, np.float64).reshape(-1, PROXIMITY_COLUMNS)


_UNKNOWN_PARENT = -2


def parent_id(layout: Layout, name: str) -> int:
    """Index of a frame, -1 for the world."""
    index = layout.entity_id(name)
    return _UNKNOWN_PARENT if index < 0 and name != WORLD else index


def parent_name(layout: Layout, index: int) -> str:
    """Name of the frame with this index."""
    if index == _UNKNOWN_PARENT:
        return "(unknown frame)"
    return WORLD if index < 0 else layout.entities[index].name


def to_floats(numbers: Any) -> Floats:
    """A float64 array of a message, as numpy sees it."""
    return np.frombuffer(numbers, np.float64)
