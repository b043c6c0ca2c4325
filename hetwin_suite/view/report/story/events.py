"""Which events are worth telling, and what they are about."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.words import arguments_words, event_words, happening, subject
from hetwin_core.episodes.episode import Episode

_HANDLING = {
    "grasped",
    "picked_up",
    "released",
    "lost",
    "put_down",
    "dropped",
    "connected",
    "disconnected",
}
SIGNALS = {"grip_closed", "grip_lost", "let_go"}
"""What a hand's monitor raises for other models; where an observer says what was handled, that is said instead."""
_LONGEST = 80
WATCHER = "robot_health"
"""Source of the events of which the concerns are made."""


def is_handling(event: Event) -> bool:
    """Whether a model reports that something was done to an object."""
    return event.kind is EventKind.MODEL and event.name in _HANDLING and subject(event) is not None


def is_own(episode: Episode, event: Event) -> bool:
    """Whether a model that is neither the main one nor the robot's watcher reports something else."""
    main = {model.name for model in episode.models if model.main}
    return (
        event.kind is EventKind.MODEL
        and event.source not in main | {WATCHER}
        and not is_handling(event)
    )


def own_events(episode: Episode) -> list[Event]:
    """What models report besides the handling of objects, without what the handling says again."""
    handled = {subject(event) for event in episode.events if is_handling(event)}
    return [
        event
        for event in episode.events
        if is_own(episode, event) and not (event.name in SIGNALS and subject(event) in handled)
    ]


def thing_of(episode: Episode, event: Event) -> str | None:
    """The entity that an event is about: its subject, else the first entity that an argument names."""
    thing = subject(event)
    if thing is not None:
        return thing
    named = (v for v in event.arguments.values() if isinstance(v, str))
    return next((name for name in named if episode.layout.entity_id(name) >= 0), None)


def own_words(episode: Episode, event: Event) -> str:
    """An event in words, with the thing that it is about, e.g. ``jug spilled``."""
    thing, words = thing_of(episode, event), event_words(event)
    return words if thing is None or thing in words else f"{thing} {happening(event)}"


def details(arguments: Mapping[str, Json]) -> str:
    """An event's arguments in words, without long lists of numbers."""
    return arguments_words({k: v for k, v in arguments.items() if len(str(v)) <= _LONGEST})
