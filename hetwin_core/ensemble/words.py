"""The wording of events, arguments, times and failures.

Progress, the report, notes, and the output of the commands all use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hetwin_core.ensemble.concern_words import (
    COVERAGE,
    DROPPED,
    ROBOT_HEALTH,
    TOUCH_ENDED,
    TOUCHED,
    concern_text,
)
from hetwin_core.ensemble.events import (
    ANNOUNCED,
    ANNOUNCED_TRAJECTORY,
    Event,
    EventKind,
    Json,
    action_arguments,
    phase_of,
)
from hetwin_core.ensemble.sentences.catalogue import group, say

_SUBJECTS = ("object", "probe", "cup")
"""Arguments that name the affected object."""
_PREPOSITIONS = {"hand": "by", "support": "on", "container": "", "socket": "to", "other": "to"}
"""Preposition before an argument of an event that is not in the catalogue."""

_GRIP_LOST = {True: "grip_opened", False: "grip_slipped"}
"""Sentences of ``grip_lost``, by whether the fingers opened, if the monitor knows it."""
_PHASES = {ANNOUNCED: "event.announced", "begin": "event.begins", "end": "event.ends"}
_TASK_ARGUMENTS = ("id", "goal", "reason")


def seconds(time_ns: int, digits: int = 2) -> str:
    """A time in readable form, e.g. ``3.21 s``."""
    return f"{time_ns / 1e9:.{digits}f} s"


def event_words(event: Event) -> str:
    """An event without its time, e.g. ``box picked up by gripper from table`` or ``move hand begins``."""
    name = event.name.replace("_", " ")
    if event.kind is EventKind.TOPIC:
        return event.name
    if event.kind is EventKind.ACTION:
        sentence = _PHASES.get(phase_of(event))
        return say(sentence, name=name) if sentence else name
    if event.kind is EventKind.TASK:
        return say("event.task", name=name, status=event.arguments.get("status"))
    if event.source == ROBOT_HEALTH or _is_drop(event):
        return concern_text(event.name, event.arguments)
    known = _cataloged(event)
    if known is not None:
        return known
    return say("event.any", thing=subject(event), happened=happening(event))


def event_line(event: Event) -> str:
    """An event with all its arguments; empty for events without a line of their own.

    These are a topic's value, which may be large, a touch of a hand, and coverage.
    """
    is_coverage = (event.source, event.name) == (ROBOT_HEALTH, COVERAGE)
    if event.kind is EventKind.TOPIC or is_coverage or is_routine_touch(event):
        return ""
    if event.kind is EventKind.ACTION:
        arguments = {k: v for k, v in action_arguments(event).items() if k != ANNOUNCED_TRAJECTORY}
        return f"robot: {event_words(event)}{_in_brackets(arguments)}"
    if event.kind is EventKind.TASK:
        known = {key: event.arguments.get(key) or None for key in _TASK_ARGUMENTS}
        return f"robot: {event_words(event)}{_in_brackets(known)}"
    if event.source == ROBOT_HEALTH or _is_drop(event):
        return _concern_line(event)
    if _cataloged(event) is not None:
        return event_words(event)
    used = _used_arguments(event)
    others = {key: value for key, value in event.arguments.items() if key not in used}
    return f"{event_words(event)}{_in_brackets(others)}"


def _cataloged(event: Event) -> str | None:
    """An event in the words of the catalogue; None if it is not there, or has other arguments."""
    name, arguments = event.name, event.arguments
    if name == "grip_lost" and isinstance(opened := arguments.get("opened"), bool):
        name = _GRIP_LOST[opened]
    if name not in group("event"):
        return None
    try:
        return say(f"event.{name}", **arguments)
    except (KeyError, TypeError, ValueError):  # a model's own event of the same name
        return None


def is_routine_touch(event: Event) -> bool:
    """Whether an event is a touch of a hand, which is meant to touch things, or the end of a touch."""
    is_touch = event.source == ROBOT_HEALTH and event.name in (TOUCHED, TOUCH_ENDED)
    return is_touch and (event.name == TOUCH_ENDED or bool(event.arguments.get("hand")))


def _concern_line(event: Event) -> str:
    """A concern with its severity (none for touches and intended drops), and its duration if the event ends it."""
    if event.name == TOUCHED:
        return event_words(event)
    start, end = event.arguments.get("from"), event.arguments.get("to")
    duration = ""
    if isinstance(start, float) and isinstance(end, float) and end > start:
        duration = f", for {end - start:.2f} s"
    severity = event.arguments.get("severity", "" if _is_drop(event) else "note")
    return f"{severity}: {event_words(event)}{duration}" if severity else event_words(event)


def _is_drop(event: Event) -> bool:
    return event.name == DROPPED and "height" in event.arguments


def subject(event: Event) -> str | None:
    """The affected object; None if the event names none."""
    found = (event.arguments.get(key) for key in _SUBJECTS)
    return next((str(thing) for thing in found if thing), None)


def happening(event: Event) -> str:
    """The event as a statement about its subject, e.g. ``picked up by gripper from table``."""
    known = _cataloged(event)
    if known is not None:
        return known.removeprefix(f"{subject(event)} ")
    parts = [event.name.replace("_", " ")]
    for key, preposition in _PREPOSITIONS.items():
        other = event.arguments.get(key)
        if other:
            parts.append(f"{preposition} {other}".strip())
    return " ".join(parts)


def arguments_words(arguments: Mapping[str, Json]) -> str:
    """Arguments as ``name value`` pairs, without those that are null."""
    known = {key: value for key, value in arguments.items() if value is not None}
    return ", ".join(f"{key} {_value(value)}" for key, value in known.items())


def shown_line(shown: Mapping[str, str]) -> str:
    """Addresses at which other programs show a world, e.g. ``shown by gazebo: partition hetwin_1, world table``."""
    others = ", ".join(f"{name} {value}" for name, value in shown.items() if name != "by")
    return f"shown by {shown['by']}: {others}" if "by" in shown else f"shown: {others}"


def failure_words(call: str, time_s: float, reason: str, model: str = "") -> str:
    """A failure at a simulated time [s], e.g. ``grasp: step failed at 1.250000 s: it returned NaN``."""
    return say("ending.failed", model=model, call=call, time=time_s, reason=reason)


def failure_row_words(row: Mapping[str, Any], *, with_model: bool = True) -> str:
    """A failure from a run's summary; missing parts are named as unknown."""
    model = str(row.get("model", "run")) if with_model else ""
    call, reason = str(row.get("call", "run")), str(row.get("reason", "unknown reason"))
    return failure_words(call, float(row.get("time") or 0.0), reason, model)


def _used_arguments(event: Event) -> Iterable[str]:
    """The arguments in the words of `subject` and `happening`."""
    if subject(event) is None:
        return ()
    return (next(key for key in _SUBJECTS if event.arguments.get(key)), *_PREPOSITIONS)


def _in_brackets(arguments: Mapping[str, Json]) -> str:
    words = arguments_words(arguments)
    return f" ({words})" if words else ""


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):  # a mapping is represented by its first value
        value = [next(iter(o.values()), None) if isinstance(o, dict) else o for o in value]
    return value if isinstance(value, str) else str(value)
