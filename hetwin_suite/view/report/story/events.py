"""Selects the events and concerns that a page reports, their subjects, and the intended places of objects."""

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
    """A sentence about one entity.

    Attributes:
        about: the entity, the first word of the sentence.
        pieces: the remaining pieces, including the full stop.
    """

    about: str
    pieces: tuple[Piece, ...]

    @property
    def text(self) -> str:
        """The sentence as plain text."""
        return f"{self.about}{plain(self.pieces)}"


ON, IN, CONNECTED = "on", "in", "connected to"
_ROLES = {"container": IN, "socket": CONNECTED, "target": ON, "destination": ON}
"""Argument of an action with the intended place of its object -> relation to that place."""
_FLUENTS = {"on": ON, "in_container": IN, "connected": CONNECTED}
_POURING = ("pour", "fill", "empty_out")
_CONTAINER = "container"


class Goal(NamedTuple):
    """The intended place of an object.

    Attributes:
        time_ns: time of the program's message [ns].
        thing: the object.
        how: relation to the place: ``on``, ``in`` or ``connected to``.
        place: the entity at which the object is to be.
    """

    time_ns: int
    thing: str
    how: str
    place: str


def intended_places(episode: Episode) -> dict[str, Goal]:
    """Return object -> its last intended place, by actions and goals of tasks; targets of pouring are excluded."""
    found: dict[str, Goal] = {}
    for goal in sorted([*_action_goals(episode), *_task_goals(episode)]):
        if episode.layout.entity_id(goal.place) >= 0:
            found[goal.thing] = _in_container(episode, goal)
    return found


def _action_goals(episode: Episode) -> Iterator[Goal]:
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
                yield Goal(action.begin_ns, str(thing), how, str(place))


def _task_goals(episode: Episode) -> Iterator[Goal]:
    for event in episode.events:
        goal, status = event.arguments.get("goal"), event.arguments.get("status")
        if event.kind is EventKind.TASK and goal and status != Status.CANCELLED:
            for fluent, entities in terms_in(str(goal)):
                if fluent in _FLUENTS and len(entities) == 2:
                    thing, place = entities
                    yield Goal(event.time_ns, thing, _FLUENTS[fluent], place)


def _in_container(episode: Episode, goal: Goal) -> Goal:
    """Replace the relation ``on`` a container by ``in`` it."""
    contains = _CONTAINER in episode.layout.entity(goal.place).tags
    return goal._replace(how=IN) if contains and goal.how == ON else goal


NOTE, WARNING, ABSURD = SEVERITIES = ("note", "warning", "absurd")
"""Severities in ascending order."""


class StoredConcern(NamedTuple):
    """A concern in a run's summary: name, severity, interval [ns], arguments, sentence, and number of occurrences."""

    name: str
    severity: str
    from_ns: int
    to_ns: int
    arguments: Mapping[str, Any]
    text: str
    times: int

    @property
    def serious(self) -> bool:
        """Whether it makes the run doubtful or absurd."""
        return self.severity != NOTE


def stored_concerns(episode: Episode) -> list[StoredConcern]:
    """Return the concerns, most severe first, then by their begin; none for a run that was not watched."""
    rows = episode.summary.get("concerns") or ()
    found = [_stored(row) for row in rows if isinstance(row, Mapping)]
    return sorted(found, key=lambda c: (-SEVERITIES.index(c.severity), c.from_ns))


def _stored(row: Mapping[str, Any]) -> StoredConcern:
    name, severity = str(row.get("name", "unknown")), row.get("severity")
    from_ns = _ns(row.get("from"))
    return StoredConcern(
        name,
        severity if severity in SEVERITIES else WARNING,
        from_ns,
        max(from_ns, _ns(row.get("to"))),
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
"""Events of the grasp monitor for other models; not reported if an observer reports the handling itself."""
_MAX_VALUE_LENGTH = 80
WATCHER = "robot_health"
"""Source of the events from which concerns are made."""


def is_handling(event: Event) -> bool:
    """Whether an event is a model's report about the handling of an object."""
    return event.kind is EventKind.MODEL and event.name in _HANDLING and subject(event) is not None


def is_own(episode: Episode, event: Event) -> bool:
    """Whether an event is a report, other than about handling, of a model except the main one and the watcher."""
    main = {model.name for model in episode.models if model.main}
    return (
        event.kind is EventKind.MODEL
        and event.source not in main | {WATCHER}
        and not is_handling(event)
    )


def own_events(episode: Episode) -> list[Event]:
    """Return the events that are a model's own report, without signals that repeat reported handling."""
    handled = {subject(event) for event in episode.events if is_handling(event)}
    return [
        event
        for event in episode.events
        if is_own(episode, event) and not (event.name in SIGNALS and subject(event) in handled)
    ]


def thing_of(episode: Episode, event: Event) -> str | None:
    """Return the entity concerned by an event: its subject, otherwise the first entity among its arguments."""
    thing = subject(event)
    if thing is not None:
        return thing
    named = (v for v in event.arguments.values() if isinstance(v, str))
    return next((name for name in named if episode.layout.entity_id(name) >= 0), None)


def own_words(episode: Episode, event: Event) -> str:
    """Describe an event including the entity concerned, e.g. ``jug spilled``."""
    thing, words = thing_of(episode, event), event_words(event)
    return words if thing is None or thing in words else f"{thing} {happening(event)}"


def details(arguments: Mapping[str, Json]) -> str:
    """Describe an event's arguments, without long values such as lists of numbers."""
    return arguments_words({k: v for k, v in arguments.items() if len(str(v)) <= _MAX_VALUE_LENGTH})
