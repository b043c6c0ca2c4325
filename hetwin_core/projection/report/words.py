"""What happened to each object, and how the run ended."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.words import failure_row_words, happening, seconds, subject
from hetwin_core.projection.episode import Episode

_HANDLING = {
    "grasped",
    "picked_up",
    "released",
    "put_down",
    "dropped",
    "connected",
    "disconnected",
}
_MOST = 8


def is_handling(event: Event) -> bool:
    """Whether a model reports that something was done to an object."""
    return event.kind is EventKind.MODEL and event.name in _HANDLING and subject(event) is not None


def story(events: Iterable[Event]) -> str:
    """One sentence per object about how it was handled; empty if none was."""
    handled: dict[str, list[Event]] = {}
    for event in events:
        if is_handling(event):
            handled.setdefault(subject(event) or "", []).append(event)
    return " ".join(_sentence(thing, happened) for thing, happened in handled.items())


def verdict(episode: Episode) -> tuple[str, str]:
    """How the run ended: ``good``, ``warned`` or ``bad``, and a sentence."""
    summary = episode.summary
    end = seconds(episode.end_ns)
    if not summary:
        return "bad", f"The run broke off: there is no summary. The log ends at {end}."
    error = summary.get("error")
    if error:
        return "bad", f"The run failed: {failure_row_words(error)}"
    match summary.get("ended"):
        case "recording":
            return "good", f"The run reached the end of its recording after {end}."
        case "live":
            return "good", f"The twin followed the live robot to its end, {end}."
        case "stopped":
            return "warned", f"The run was stopped after {end}."
        case "failed":
            return "bad", f"The run failed after {end}; no reason is known."
        case other:
            return "warned", f"The run ended after {end} ({other})."


def _sentence(thing: str, happened: Sequence[Event]) -> str:
    parts = [f"{happening(event)} at {seconds(event.time_ns)}" for event in happened[:_MOST]]
    if len(happened) > _MOST:
        parts.append(f"{len(happened) - _MOST} more events followed")
        return f"{thing} was {', '.join(parts[:-1])}; {parts[-1]}."
    listed = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{thing} was {listed}."
