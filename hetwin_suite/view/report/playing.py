"""The run as it plays in the page: its film with what a time line shows of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.content import Player, Time
from hetwin_suite.view.document import page_script
from hetwin_suite.view.film.film import Doing, Film
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers.find import layers_of
from hetwin_suite.view.report.moments import Moment
from hetwin_suite.view.report.story.concerns import stored_concerns

_CONCERNS = "concerns"


class Playing(NamedTuple):
    """What a page holds so that the run plays in it.

    Attributes:
        player: where it plays, or why it does not.
        films: what plays there, by the player's ids.
    """

    player: Player
    films: Mapping[str, Film]


def playing(
    episode: Episode, tables: Tables | BadInput, moments: Sequence[Moment], first_ns: int
) -> Playing:
    """Return a run as a page plays it.

    Args:
        episode: the run.
        tables: its tables, or why there are none.
        moments: the places in time that one clicks.
        first_ns: the time that is shown at first.
    """
    try:
        page_script()
    except BadInput as error:
        return Playing(Player(why_not=f"The run does not play here: {error}"), {})
    film = film_of(episode, [moment.time_ns for moment in moments])
    layers = () if isinstance(tables, BadInput) else layers_of(tables, film.scene)
    film = replace(film, doings=(*film.doings, *concern_bars(episode)), layers=layers)
    places = [Time(moment.time_ns, words="; ".join(moment.what)) for moment in moments]
    player = Player(first_ns=first_ns, places=places)
    return Playing(player, dict(zip(player.films, [film], strict=True)))


def concern_bars(episode: Episode) -> tuple[Doing, ...]:
    """The concerns as bars; those of an instant get a little length, to be seen."""
    least = (episode.end_ns - episode.start_ns) / 200e9
    found = []
    for concern in sorted(stored_concerns(episode), key=lambda one: one.from_ns):
        begin, end = concern.from_ns / 1e9, concern.to_ns / 1e9
        often = f"{concern.severity}{f', {concern.times} times' if concern.times > 1 else ''}"
        found.append(
            Doing(concern.text, begin, max(end, begin + least), often, _CONCERNS, concern.severity)
        )
    return tuple(found)
