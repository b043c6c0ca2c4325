"""Events: observations of models and announcements of the robot's program, and their fields in messages."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias


def plain(value: object) -> Any:
    """Convert to dictionaries, lists, texts and finite numbers; other numbers become null, other objects text."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
"""Any JSON value; arguments of events and commands."""


class EventKind(StrEnum):
    """Origin of an event."""

    MODEL = "model"
    ACTION = "action"
    TOPIC = "topic"
    TRIGGER = "trigger"
    TASK = "task"
    BELIEF = "belief"
    """A belief of the robot; it fires no trigger and reaches no model, see `beliefs`."""


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
        arguments: its subject, e.g. ``object`` and ``hand``; an action carries its ``phase`` here.
    """

    name: str
    time_ns: int
    kind: EventKind = EventKind.MODEL
    source: str = ""
    sequence: int = 0
    arguments: Mapping[str, Json] = field(default_factory=dict)


def event_of_message(message: Any, time_ns: int) -> Event:
    """Return the event of a decoded ``hetwin/msg/Event``, from any decoder.

    Raises:
        ValueError: if the kind is unknown, or the arguments are not a JSON object.
    """
    try:
        arguments = arguments_from_text(message.arguments)
        sequence = int(message.sequence)
        row = [message.name, time_ns, message.kind, message.source, sequence, arguments]
        return event_from_row(row)
    except ValueError as error:
        raise ValueError(f"event {message.name!r}: {error}") from None


def event_to_row(event: Event) -> list[Any]:
    """An event as a list for JSON: name, time in ns, kind, source, sequence, and the arguments unchanged."""
    arguments = dict(event.arguments)
    return [event.name, event.time_ns, event.kind.value, event.source, event.sequence, arguments]


_ROW_DEFAULTS: tuple[Any, ...] = ("", "", 0, {})
"""Defaults of the fields after name and time in a row."""


def event_from_row(row: Sequence[Any]) -> Event:
    """Return the event of a row, the inverse of `event_to_row`.

    Fields after the time may be absent; an empty kind means a model's event.

    Raises:
        ValueError: if the kind is unknown.
    """
    name, time_ns, kind, source, sequence, arguments = *row, *_ROW_DEFAULTS[len(row) - 2 :]
    return Event(name, time_ns, EventKind(kind or EventKind.MODEL), source, sequence, arguments)


def event_to_summary(event: Event) -> dict[str, Json]:
    """An event as in `summary.json` and ``hetwin run --json``, with its time in s."""
    return {
        "time": event.time_ns / 1e9,
        "name": event.name,
        "kind": event.kind.value,
        "source": event.source,
        "arguments": dict(event.arguments),
    }


def event_from_summary(row: Mapping[str, Any]) -> Event:
    """Inverse of `event_to_summary`, without the sequence number.

    Raises:
        ValueError: if the kind is unknown.
    """
    time_ns = round(row["time"] * 1e9)
    return event_from_row(
        [row["name"], time_ns, row["kind"], row["source"], 0, dict(row["arguments"])]
    )


def arguments_to_text(arguments: Mapping[str, Json]) -> str:
    """Arguments as a JSON object; numbers that are not finite become null."""
    try:
        return json.dumps(arguments, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # rare, and `plain` is slow
        return json.dumps(plain(arguments), ensure_ascii=False)


def arguments_from_text(text: str) -> dict[str, Json]:
    """Inverse of `arguments_to_text`; an empty text means none.

    Raises:
        ValueError: if the text is not a JSON object.
    """
    if not text.strip():
        return {}
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ValueError(f"the arguments are not JSON ({error}): {text[:80]!r}") from None
    if not isinstance(content, dict):
        raise ValueError(f"the arguments are not a JSON object: {text[:80]!r}")
    return content


INSTANT = "instant"
ANNOUNCED = "announced"
"""Phase of an action that is announced ahead of time: nothing happens yet. Its arguments may include those of
`ANNOUNCED_START`.
"""
PHASES = ("begin", "end", INSTANT, ANNOUNCED)
ANNOUNCED_START, ANNOUNCED_TRAJECTORY = "start", "trajectory"
"""Arguments of an announced action: the time until it begins [s], and the trajectory of the joints."""
ACTION, GOAL_ID = "action", "goal_id"
"""Arguments of events of a ROS action server: the action's name, and the first digits of its goal's id."""
TREE_NODE = "tree_node"
"""Argument of an action that is a node of a behaviour tree: the node's identity. It may last as long as the robot."""
RESULT = "result"
"""Argument of an action's end that the robot's middleware reports: ``succeeded``, ``aborted``, ``failure`` ..."""
GRIPPER_SAYS, TRAJECTORY_SAYS = "gripper_says", "trajectory_says"
"""A gripper's status (``stalled``, ``reached_goal``, ``grasped``, ``position``), and a controller's status with its
largest error (``joint``, ``error``).
"""
FORCE_SAYS, IO_SAYS = "force_says", "io_says"
"""An arm's wrench (``force``, ``torque``), and the new ``state`` of an input or output (``io``)."""
GOAL_SENT, RESULT_GOT = "goal_sent", "result_got"
"""The goal of an action, and its result."""
COMMANDED, FEELS = "commanded", "feels"
"""Commands of a controller (``positions`` by name, or the ``values`` of a ``gripper``; rad or m), and readings of a
hand's sensor: ``source``, ``quantity``, and if known ``unit``, ``hand``, ``claim`` (``held`` by default) and
``log_ratio``.
"""
_REPORTS = frozenset(
    {
        *(GRIPPER_SAYS, TRAJECTORY_SAYS, FORCE_SAYS, IO_SAYS, GOAL_SENT, RESULT_GOT),
        *(COMMANDED, FEELS),
    }
)
ROBOT = "robot"
"""Argument that names the robot if there are several."""
_PHASE = "phase"
RELEASING_OPERATIONS = frozenset(
    {
        *("release", "let_go", "open", "open_hand", "open_gripper"),
        *("drop", "hand_over", "give", "throw"),
    }
)
"""Operations that release the object in a hand, by the names that robots' programs commonly use."""
_GOAL, _OPEN = "goal", "open"
"""Argument of an operation that moves a hand, and its value for one that opens it."""


class AnnotationFields(NamedTuple):
    """The fields of the message without its header; `arguments` is a JSON object, or empty."""

    operation: str
    phase: str
    arguments: str


def action_event(fields: AnnotationFields, time_ns: int, source: str) -> Event:
    """The event that an annotation announces; its phase becomes one of its arguments.

    If the field `phase` is empty, an argument of this name is used; without either, the action is instant.

    Args:
        fields: fields of the message.
        time_ns: start of the phase.
        source: name of the reporter.

    Raises:
        ValueError: if the operation is empty, or the phase or the arguments cannot be used.
    """
    operation, phase, text = fields
    if not operation:
        raise ValueError("the annotation has no operation")
    arguments = arguments_from_text(text)
    phase = phase or str(arguments.get(_PHASE, INSTANT))
    if phase not in PHASES:
        raise ValueError(f"phase {phase!r} of {operation}; expected one of {', '.join(PHASES)}")
    return announce(operation, phase, arguments, time_ns, source)


def announce(
    operation: str, phase: str, arguments: Mapping[str, Json], time_ns: int, source: str
) -> Event:
    """Return the event of an action's phase; a phase among the arguments is replaced."""
    remaining = {key: value for key, value in arguments.items() if key != _PHASE}
    return Event(
        operation, time_ns, EventKind.ACTION, source, arguments={**remaining, _PHASE: phase}
    )


def annotation_fields(event: Event) -> AnnotationFields:
    """Inverse of `action_event`."""
    arguments = action_arguments(event)
    text = arguments_to_text(arguments) if arguments else ""
    return AnnotationFields(event.name, phase_of(event), text)


def is_announced_action(event: Event) -> bool:
    """Whether an event is an action that the robot's program announced.

    Goals of controllers, nodes of behaviour trees and status reports of the robot's parts are not.
    """
    is_action = event.kind is EventKind.ACTION and event.name not in _REPORTS
    return is_action and not event.arguments.keys() & {GOAL_ID, TREE_NODE}


def phase_of(event: Event) -> str:
    """The phase of an action's event."""
    return str(event.arguments.get(_PHASE, INSTANT))


def lets_go(event: Event) -> bool:
    """Whether an action's event, by its name or its goal, releases the object in a hand."""
    return event.kind is EventKind.ACTION and (
        event.name in RELEASING_OPERATIONS or event.arguments.get(_GOAL) == _OPEN
    )


def action_arguments(event: Event) -> dict[str, Json]:
    """The arguments of an action's event without its phase."""
    return {key: value for key, value in event.arguments.items() if key != _PHASE}
