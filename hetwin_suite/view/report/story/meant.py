"""Where the robot's program meant to bring things, as its actions and tasks say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hetwin_core.ensemble.events import EventKind
from hetwin_core.ensemble.expressions.terms import terms_in
from hetwin_core.ensemble.tasks import Status
from hetwin_core.episodes.episode import Episode

ON, IN, CONNECTED = "on", "in", "connected to"
_ROLES = {"container": IN, "socket": CONNECTED, "target": ON, "destination": ON}
"""How actions call the place that they bring their object to."""
_FLUENTS = {"on": ON, "in_container": IN, "connected": CONNECTED}
_POURING = ("pour", "fill", "empty_out")
_CONTAINER = "container"


class Meant(NamedTuple):
    """A place that a thing was to get to.

    Attributes:
        time_ns: when the program last said so.
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
    """What is brought to a container is to be in it."""
    contains = _CONTAINER in episode.layout.entity(meant.place).tags
    return meant._replace(how=IN) if contains and meant.how == ON else meant
