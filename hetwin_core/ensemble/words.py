"""The wording of events, arguments, times and failures.

Progress, the report, notes, and the output of the commands all take their words from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hetwin_core.ensemble.annotations import (
    ANNOUNCED,
    TRAJECTORY,
    action_arguments,
    phase_of,
)
from hetwin_core.ensemble.concern_words import (
    CLOSED_ON_SOMETHING,
    COVERAGE,
    DROPPED,
    LET_GO_OF_SOMETHING,
    ROBOT_HEALTH,
    TOUCH_ENDED,
    TOUCHED,
    concern_text,
)
from hetwin_core.ensemble.events import Event, EventKind, Json

_SUBJECTS = ("object", "probe")
"""Arguments that name the thing to which something happened."""
_PREPOSITIONS = {
    "hand": "by",
    "support": "on",
    "container": "",
    "socket": "to",
    "other": "to",
}
"""How an argument goes on after the event's name, e.g. ``grasped by gripper``, ``entered box``."""
_OTHER_PREPOSITIONS = {
    "picked_up": {"support": "from"},
    "disconnected": {"socket": "from", "other": "from"},
    "overlap": {"other": "with"},
}

GRIP_LOST = "grip_lost"
"""Said as what it is if its argument ``opened`` says that the fingers let go."""
_SAID_OF_TASKS = ("id", "goal", "reason")


def seconds(time_ns: int, digits: int = 2) -> str:
    """A time as people read it, e.g. ``3.21 s``."""
    return f"{time_ns / 1e9:.{digits}f} s"


def event_words(event: Event) -> str:
    """An event without its time, e.g. ``box picked up by gripper from table`` or ``move hand begins``."""
    name = event.name.replace("_", " ")
    if event.kind is EventKind.TOPIC:
        return event.name
    if event.kind is EventKind.ACTION:
        phase = phase_of(event)
        if phase == ANNOUNCED:
            return f"{name} announced"
        return f"{name} {phase}s" if phase in ("begin", "end") else name
    if event.kind is EventKind.TASK:
        return f"{name} {event.arguments.get('status', '')}".strip()
    if event.source == ROBOT_HEALTH or _is_drop(event):
        return concern_text(event.name, event.arguments)
    if event.name in (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING):
        return _fingers(event)
    thing = subject(event)
    return name if thing is None else f"{thing} {happening(event)}"


def event_line(event: Event) -> str:
    """An event with all that it carries; empty for what has no line of its own.

    That is a topic's value, which may be large, a touch of a hand, and what is checked.
    """
    is_coverage = (event.source, event.name) == (ROBOT_HEALTH, COVERAGE)
    if event.kind is EventKind.TOPIC or is_coverage or is_routine_touch(event):
        return ""
    if event.kind is EventKind.ACTION:
        said_of = {k: v for k, v in action_arguments(event).items() if k != TRAJECTORY}
        return f"robot: {event_words(event)}{_in_brackets(said_of)}"
    if event.kind is EventKind.TASK:
        known = {key: event.arguments.get(key) or None for key in _SAID_OF_TASKS}
        return f"robot: {event_words(event)}{_in_brackets(known)}"
    if event.source == ROBOT_HEALTH or _is_drop(event):
        return _concern_line(event)
    if event.name in (CLOSED_ON_SOMETHING, LET_GO_OF_SOMETHING):
        return event_words(event)
    said = _said(event)
    rest = {key: value for key, value in event.arguments.items() if key not in said}
    return f"{event_words(event)}{_in_brackets(rest)}"


def _fingers(event: Event) -> str:
    """What the fingers of a hand did with something that the scene does not have."""
    hand, closing = event.arguments.get("hand"), event.arguments.get("closing")
    if event.name == LET_GO_OF_SOMETHING:
        return f"{hand} let go of it: {event.arguments.get('because')}"
    share = f" at {closing:.0%} of its travel" if isinstance(closing, float) else ""
    return f"{hand} stopped{share}: on something that the scene does not have, or as commanded"


def is_routine_touch(event: Event) -> bool:
    """Whether an event is a touch of a hand, which is there to touch, or says that a touch is over."""
    is_touch = event.source == ROBOT_HEALTH and event.name in (TOUCHED, TOUCH_ENDED)
    return is_touch and (event.name == TOUCH_ENDED or bool(event.arguments.get("hand")))


def _concern_line(event: Event) -> str:
    """A concern with its severity, and how long it has lasted if the event ends it; a drop may be meant.

    A touch has no severity.
    """
    if event.name == TOUCHED:
        return event_words(event)
    begun, ended = event.arguments.get("from"), event.arguments.get("to")
    over = ""
    if isinstance(begun, float) and isinstance(ended, float) and ended > begun:
        over = f", for {ended - begun:.2f} s"
    severity = event.arguments.get("severity", "" if _is_drop(event) else "note")
    return f"{severity}: {event_words(event)}{over}" if severity else event_words(event)


def _is_drop(event: Event) -> bool:
    return event.name == DROPPED and "height" in event.arguments


def subject(event: Event) -> str | None:
    """The thing to which it happened; None if the event names none."""
    found = (event.arguments.get(key) for key in _SUBJECTS)
    return next((str(thing) for thing in found if thing), None)


def happening(event: Event) -> str:
    """What happened to the event's subject, e.g. ``picked up by gripper from table``."""
    opened = event.name == GRIP_LOST and event.arguments.get("opened") is True
    parts = ["grip opened" if opened else event.name.replace("_", " ")]
    for key, preposition in _prepositions(event).items():
        other = event.arguments.get(key)
        if other:
            parts.append(f"{preposition} {other}".strip())
    return " ".join(parts)


def arguments_words(arguments: Mapping[str, Json]) -> str:
    """Arguments as ``name value`` pairs, without those that are null."""
    said = {key: value for key, value in arguments.items() if value is not None}
    return ", ".join(f"{key} {_value(value)}" for key, value in said.items())


def shown_line(shown: Mapping[str, str]) -> str:
    """Where other programs see what a run computes, e.g. ``shown by gazebo: partition hetwin_1, world table``."""
    rest = ", ".join(f"{name} {value}" for name, value in shown.items() if name != "by")
    return f"shown by {shown['by']}: {rest}" if "by" in shown else f"shown: {rest}"


def failure_words(call: str, time_s: float, reason: str, model: str = "") -> str:
    """A failure at a simulated time [s], e.g. ``grasp: step failed at 1.250000 s: it returned NaN``."""
    who = f"{model}: " if model else ""
    return f"{who}{call} failed at {time_s:.6f} s: {reason}"


def failure_row_words(row: Mapping[str, Any], *, with_model: bool = True) -> str:
    """A failure as a run's summary has it; what is missing there is named as unknown."""
    model = str(row.get("model", "run")) if with_model else ""
    call, reason = str(row.get("call", "run")), str(row.get("reason", "unknown reason"))
    return failure_words(call, float(row.get("time") or 0.0), reason, model)


def _prepositions(event: Event) -> dict[str, str]:
    return _PREPOSITIONS | _OTHER_PREPOSITIONS.get(event.name, {})


def _said(event: Event) -> Iterable[str]:
    """The arguments that `event_words` has said."""
    if subject(event) is None:
        return ()
    first = next(key for key in _SUBJECTS if event.arguments.get(key))
    return (first, *_PREPOSITIONS, *(("opened",) if event.name == GRIP_LOST else ()))


def _in_brackets(arguments: Mapping[str, Json]) -> str:
    words = arguments_words(arguments)
    return f" ({words})" if words else ""


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):  # of mappings, the first value is what they are about
        value = [next(iter(o.values()), None) if isinstance(o, dict) else o for o in value]
    return value if isinstance(value, str) else str(value)
