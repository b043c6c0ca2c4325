"""Converts between hetwin's ROS messages and the types of the core.

Long arrays are `array.array`, which the generated message classes store without checking each number, and which
numpy reads without copying.
"""

from __future__ import annotations

from array import array

import numpy as np
from builtin_interfaces.msg import Time

from hetwin.msg import ActionAnnotation, Belief, SceneState
from hetwin.msg import Event as EventMessage
from hetwin_core.ensemble.beliefs import belief_event, message_fields
from hetwin_core.ensemble.events import AnnotationFields, Event, action_event, event_of_message
from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import PROXIMITY_COLUMNS, Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import Floats, Ints
from hetwin_core.ensemble.topics import BELIEFS

NS = 1_000_000_000
ANNOTATIONS_SOURCE = "annotations"
"""Source of events from action annotations."""


def fill_time(message: Time, time_ns: int) -> None:
    """Fill a ``builtin_interfaces/Time``; for negative times the seconds are negative, and the nanoseconds positive."""
    message.sec, message.nanosec = divmod(time_ns, NS)


def read_time(message: Time) -> int:
    """Nanoseconds of a ``builtin_interfaces/Time``."""
    return int(message.sec) * NS + int(message.nanosec)


def read_state(message: SceneState, layout: Layout, models: tuple[str, ...]) -> Snapshot:
    """Read a ``hetwin/SceneState``, without copying its numbers."""
    return Snapshot(
        layout,
        models,
        read_time(message.stamp),
        np.frombuffer(message.values, np.float64),
        np.frombuffer(message.owners, np.int32),
        np.frombuffer(message.parents, np.int32),
        proximity_tables(_rows(message.proximity)),
    )


def read_event(message: EventMessage) -> Event:
    """Read a ``hetwin/Event``.

    Raises:
        ValueError: if its kind is unknown, or its arguments are no JSON object.
    """
    return event_of_message(message, read_time(message.stamp))


def read_annotation(message: ActionAnnotation) -> Event:
    """Read the event of a ``hetwin/ActionAnnotation``.

    Raises:
        ValueError: if its operation is empty, or its phase or its arguments cannot be used.
    """
    fields = AnnotationFields(message.operation, message.phase, message.arguments)
    return action_event(fields, read_time(message.header.stamp), ANNOTATIONS_SOURCE)


def read_belief(message: Belief) -> Event:
    """Read the event of a ``hetwin/Belief``.

    Raises:
        ValueError: if it is invalid.
    """
    return belief_event(message_fields(message), read_time(message.stamp), BELIEFS.name)


def _rows(numbers: array[float]) -> Floats:
    return np.frombuffer(numbers, np.float64).reshape(-1, PROXIMITY_COLUMNS)


def to_floats(numbers: array[float]) -> Floats:
    """A float64 array of a message, without copying its numbers."""
    return np.frombuffer(numbers, np.float64)


def to_ints(numbers: array[int]) -> Ints:
    """An int32 array of a message, without copying its numbers."""
    return np.frombuffer(numbers, np.int32)
