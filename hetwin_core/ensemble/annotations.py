"""Action annotations: the fields of ``hetwin/msg/ActionAnnotation``, and the event that they announce."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from hetwin_core.ensemble.event_codec import arguments_from_text, arguments_to_text
from hetwin_core.ensemble.events import Event, EventKind, Json

INSTANT = "instant"
ANNOUNCED = "announced"
"""Phase of an action that is still to come: nothing happens yet. Its arguments may say more, see `START`."""
PHASES = ("begin", "end", INSTANT, ANNOUNCED)
START, TRAJECTORY = "start", "trajectory"
"""Arguments of an announced action: in how many seconds it begins, and how the joints move then."""
ACTION, GOAL_ID = "action", "goal_id"
"""Arguments of what an action server of ROS says: the action's name, and the first digits of its goal's id."""
TREE_NODE = "tree_node"
"""Argument of what a node of a behaviour tree does, of which some run as long as the robot does: its identity."""
RESULT = "result"
"""Argument of the end of an action, where a robot's middleware says it: ``succeeded``, ``aborted``, ``failure`` ..."""
GRIPPER_SAYS, TRAJECTORY_SAYS = "gripper_says", "trajectory_says"
"""What a gripper says of itself (``stalled``, ``reached_goal``, ``grasped``, ``position``), and a controller of its
greatest error (``joint``, ``error``)."""
FORCE_SAYS, IO_SAYS = "force_says", "io_says"
"""What an arm says that it feels (``force``, ``torque``), and the new ``state`` of an input or output (``io``)."""
GOAL_SENT, RESULT_GOT = "goal_sent", "result_got"
"""What an action was asked for, and what it returned."""
_SAID = frozenset({GRIPPER_SAYS, TRAJECTORY_SAYS, FORCE_SAYS, IO_SAYS, GOAL_SENT, RESULT_GOT})
ROBOT = "robot"
"""Argument that names the robot, where there are several."""
_PHASE = "phase"
LETTING_GO = frozenset(
    {
        *("release", "let_go", "open", "open_hand", "open_gripper"),
        *("drop", "hand_over", "give", "throw"),
    }
)
"""Operations that let go of what a hand holds, by the names that robots' programs commonly use."""
_GOAL, _OPEN = "goal", "open"
"""Argument of an operation that moves a hand, and its value for one that opens it."""


class AnnotationFields(NamedTuple):
    """The fields of the message but for its header; `arguments` is a JSON object, or empty for none."""

    operation: str
    phase: str
    arguments: str


def action_event(fields: AnnotationFields, time_ns: int, source: str) -> Event:
    """The event that an annotation announces; its phase becomes one of its arguments.

    If the field `phase` is empty, an argument of this name counts, and without one the action is instant.

    Args:
        fields: of the message.
        time_ns: when the phase begins.
        source: what reports it.

    Raises:
        ValueError: if the operation is empty, or the phase or the arguments cannot be used.
    """
    operation, phase, text = fields
    if not operation:
        raise ValueError("the annotation has no operation")
    arguments = arguments_from_text(text)
    phase = phase or str(arguments.get(_PHASE, INSTANT))
    if phase not in PHASES:
        raise ValueError(f"phase {phase!r} of {operation} is none of {', '.join(PHASES)}")
    return announce(operation, phase, arguments, time_ns, source)


def announce(
    operation: str, phase: str, arguments: Mapping[str, Json], time_ns: int, source: str
) -> Event:
    """The event of an action's phase; a phase among its arguments is replaced."""
    others = {key: value for key, value in arguments.items() if key != _PHASE}
    return Event(operation, time_ns, EventKind.ACTION, source, arguments={**others, _PHASE: phase})


def annotation_fields(event: Event) -> AnnotationFields:
    """Inverse of `action_event`."""
    arguments = action_arguments(event)
    text = arguments_to_text(arguments) if arguments else ""
    return AnnotationFields(event.name, phase_of(event), text)


def is_meant(event: Event) -> bool:
    """Whether an event is an action that the robot's program announced, no goal of a controller or node of a tree.

    Nor is it what a part of the robot says of itself.
    """
    is_action = event.kind is EventKind.ACTION and event.name not in _SAID
    return is_action and not event.arguments.keys() & {GOAL_ID, TREE_NODE}


def phase_of(event: Event) -> str:
    """The phase of an action's event."""
    return str(event.arguments.get(_PHASE, INSTANT))


def lets_go(event: Event) -> bool:
    """Whether an action's event is about letting go of what a hand holds, by its name or its goal."""
    return event.kind is EventKind.ACTION and (
        event.name in LETTING_GO or event.arguments.get(_GOAL) == _OPEN
    )


def action_arguments(event: Event) -> dict[str, Json]:
    """The arguments of an action's event without its phase."""
    return {key: value for key, value in event.arguments.items() if key != _PHASE}
