"""What happened, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.projection.episode import Episode

_HANDLING = {
    "grasped": ("grasped", "by", "hand"),
    "picked_up": ("picked up", "from", "support"),
    "released": ("released", "by", "hand"),
    "put_down": ("put down", "on", "support"),
    "dropped": ("dropped", "by", "hand"),
    "connected": ("connected", "to", "other"),
    "disconnected": ("disconnected", "from", "other"),
}
_MOST = 8


def seconds(time_ns: int, digits: int = 2) -> str:
    """A time as people read it, e.g. ``3.21 s``."""
    return f"{time_ns / 1e9:.{digits}f} s"


def is_handling(event: Event) -> bool:
    """Whether a model says that something was done to an object."""
    return event.kind is EventKind.MODEL and event.name in _HANDLING and "object" in event.arguments


def event_words(event: Event) -> str:
    """An event in a few words, without its time."""
    thing = event.arguments.get("object")
    if is_handling(event):
        return f"{thing} {_verb(event)}"
    name = event.name.replace("_", " ")
    if event.kind is EventKind.ACTION:
        phase = event.arguments.get("phase", "instant")
        return {"begin": f"{name} begins", "end": f"{name} ends"}.get(str(phase), name)
    return f"{name}: {thing}" if thing else name


def arguments_words(arguments: Mapping[str, Json]) -> str:
    """Arguments as ``name value`` pairs, without those that say nothing."""
    said = {key: value for key, value in arguments.items() if value is not None}
    return ", ".join(f"{key} {_value(value)}" for key, value in said.items())


def story(events: Iterable[Event]) -> str:
    """One sentence per object about how it was handled; empty if none was."""
    handled: dict[str, list[Event]] = {}
    for event in events:
        if is_handling(event):
            handled.setdefault(str(event.arguments["object"]), []).append(event)
    return " ".join(_sentence(thing, happened) for thing, happened in handled.items())


def verdict(episode: Episode) -> tuple[str, str]:
    """How the run ended: ``good``, ``warned`` or ``bad``, and a sentence."""
    summary = episode.summary
    end = seconds(episode.end_ns)
    if not summary:
        return "bad", f"The run broke off: there is no summary. The log ends at {end}."
    error = summary.get("error")
    if error:
        return "bad", f"The run failed at {_error_time(error, episode)}: {failure(error)}"
    match summary.get("ended"):
        case "recording":
            return "good", f"The run reached the end of its recording after {end}."
        case "stopped":
            return "warned", f"The run was stopped after {end}."
        case "failed":
            return "bad", f"The run failed at {end}; no reason is known."
        case other:
            return "warned", f"The run ended after {end} ({other})."


def failure(error: Mapping[str, Any]) -> str:
    """A summary's error in words."""
    model, call = error.get("model", "?"), error.get("call", "?")
    return f"{model} could not {call}: {error.get('reason', 'no reason was given')}"


def _error_time(error: Mapping[str, Any], episode: Episode) -> str:
    time = error.get("time")
    if isinstance(time, int | float):
        return f"{time:.2f} s"
    return seconds(episode.end_ns)


def _verb(event: Event) -> str:
    verb, preposition, argument = _HANDLING[event.name]
    other = event.arguments.get(argument)
    return f"{verb} {preposition} {other}" if other else verb


def _sentence(thing: str, happened: Sequence[Event]) -> str:
    parts = [f"{_verb(event)} at {seconds(event.time_ns)}" for event in happened[:_MOST]]
    if len(happened) > _MOST:
        parts.append(f"{len(happened) - _MOST} more events followed")
        return f"{thing} was {', '.join(parts[:-1])}; {parts[-1]}."
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{thing} was {listed}."


def _value(value: Json) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else str(value)
