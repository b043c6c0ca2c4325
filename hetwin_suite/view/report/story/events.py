"""Which events are worth reporting, and their subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hetwin_core.ensemble.events import Event, EventKind, Json
from hetwin_core.ensemble.expressions.expression import terms_in
from hetwin_core.ensemble.sentences.catalogue import Piece, plain
from hetwin_core.ensemble.tasks import Status
from hetwin_core.ensemble.words import arguments_words, event_words, happening, subject
from hetwin_core.episodes.episode import Episode


class Sentence(NamedTuple):
    """The story of one thing.

    Attributes:
        about: the thing; the sentence begins with it.
        pieces: the rest, full stop included.
    """

    about: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return f"{self.about}{plain(self.pieces)}"


ON, IN, CONNECTED = "on", "in", "connected to"
_ROLES = {"container": IN, "socket": CONNECTED, "target": ON, "destination": ON}
"""How actions call the place that they bring their object to."""
_FLUENTS = {"on": ON, "in_container": IN, "connected": CONNECTED}
_POURING = ("pour", "fill", "empty_out")
_CONTAINER = "container"


class Meant(NamedTuple):
    """A place that a thing was to get to.

    Attributes:
        time_ns: of the program's last message.
        thing: the object.
        how: ``on``, ``in`` or ``connected to``.
        place: an entity.
    """

    time_ns: int
    thing: str
    how: str
    place: str


def meant_places(episode: Episode) -> dict[str, Meant]:
    """Return the place that each thing was last to get to; a place that was only poured into is none."""
    found: dict[str, Meant] = {}
    for meant in sorted([*_of_actions(episode), *_of_tasks(episode)]):
        if episode.layout.entity_id(meant.place) >= 0:
            found[meant.thing] = _plainer(episode, meant)
    return found


def _of_actions(episode: Episode) -> Iterator[Meant]:
    poured = {
        (action.arguments.get("object"), action.arguments.get(role))
        for action in episode.annotations
        if action.operation in _POURING
        for role in _ROLES
    }
    for action in episode.annotations:
        thing = action.arguments.get("object")
        for role, how in _ROLES.items():
            place = action.arguments.get(role)
            named = isinstance(thing, str) and isinstance(place, str)
            if named and place != thing and (thing, place) not in poured:
                yield Meant(action.begin_ns, str(thing), how, str(place))


def _of_tasks(episode: Episode) -> Iterator[Meant]:
    for event in episode.events:
        goal, status = event.arguments.get("goal"), event.arguments.get("status")
        if event.kind is EventKind.TASK and goal and status != Status.CANCELLED:
            for fluent, entities in terms_in(str(goal)):
                if fluent in _FLUENTS and len(entities) == 2:
                    thing, place = entities
                    yield Meant(event.time_ns, thing, _FLUENTS[fluent], place)


def _plainer(episode: Episode, meant: Meant) -> Meant:
    """An object brought to a container is to be in it."""
    contains = _CONTAINER in episode.layout.entity(meant.place).tags
    return meant._replace(how=IN) if contains and meant.how == ON else meant


NOTE, WARNING, ABSURD = SEVERITIES = ("note", "warning", "absurd")
"""From the least to the worst."""


class StoredConcern(NamedTuple):
    """Something that a user should know of, when it lasted in ns, and how many times it occurred."""

    name: str
    severity: str
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Any]
    text: str
    times: int

    @property
    def serious(self) -> bool:
        """Whether it makes the run doubtful."""
        return self.severity != NOTE


def stored_concerns(episode: Episode) -> list[StoredConcern]:
    """The concerns, the worst first, then by their beginning; none for a run that was not watched."""
    rows = episode.summary.get("concerns") or ()
    found = [_stored(row) for row in rows if isinstance(row, Mapping)]
    return sorted(found, key=lambda c: (-SEVERITIES.index(c.severity), c.from_ns))


def _stored(row: Mapping[str, Any]) -> StoredConcern:
    name, severity = str(row.get("name", "unknown")), row.get("severity")
    begun = _ns(row.get("from"))
    return StoredConcern(
        name,
        severity if severity in SEVERITIES else WARNING,
        begun,
        max(begun, _ns(row.get("to"))),
        row.get("arguments") or {},
        str(row.get("text") or name.replace("_", " ")),
        int(row.get("count") or 1),
    )


def _ns(seconds: object) -> int:
    return round(float(seconds) * 1e9) if isinstance(seconds, int | float) else 0


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
"""Events of a hand's monitor for other models; an observer of handling replaces them."""
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
    """Reports of models besides the handling of objects, without those that repeat it."""
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
