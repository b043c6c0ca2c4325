"""Events: what a model observed, what the robot's program announced, a message on a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""What JSON can express; arguments of events and commands."""


class EventKind(StrEnum):
    """The origin of an event."""

    MODEL = "model"
    ACTION = "action"
    TOPIC = "topic"
    TRIGGER = "trigger"
    TASK = "task"
    BELIEF = "belief"
    """What the robot believes; it wakes no trigger and reaches no model, see `beliefs`."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at `time_ns`.

    A model leaves `source` and `sequence` empty; the conductor fills them in.

    Attributes:
        name: e.g. ``grasped``; an action's operation; a topic's name.
        time_ns: simulated time at which it happened, not at which it arrived.
        kind: its origin.
        source: name of the reporting model, trigger or topic.
        sequence: counts up per source.
        arguments: what it is about, e.g. ``object`` and ``hand``; an action carries its ``phase`` here.
    """

    name: str
    time_ns: int
    kind: EventKind = EventKind.MODEL
    source: str = ""
    sequence: int = 0
    arguments: Mapping[str, Json] = field(default_factory=dict)
