"""The run as it plays in the page: its film with what a time line shows of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import NamedTuple

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.words import seconds
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.tables.tables import Tables
from hetwin_suite.view.film.embed import film_data, player_place, player_script
from hetwin_suite.view.film.film import Doing
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers.find import layers_of
from hetwin_suite.view.report.moments import Moment
from hetwin_suite.view.report.story.concerns import stored_concerns

TIMELINE_PLACE = "<div data-hetwin-timeline></div>"
_CONCERNS = "concerns"


class Playing(NamedTuple):
    """What a page holds so that the run plays in it.

    Attributes:
        place: HTML of where it plays, or of why it does not.
        data: HTML of the film and of the script that plays it; belongs behind all else.
    """

    place: str
    data: str


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
        script = player_script()
    except BadInput as error:
        return Playing(f'<p class="note">The run does not play here: {escape(str(error))}</p>', "")
    film = film_of(episode, [moment.time_ns for moment in moments])
    layers = () if isinstance(tables, BadInput) else layers_of(tables, film.scene)
    film = replace(film, doings=(*film.doings, *concern_bars(episode)), layers=layers)
    data = film_data(film) + script
    place = player_place().replace("<div ", f'<div data-hetwin-time="{first_ns / 1e9:.9g}" ', 1)
    return Playing(f'{place}<div class="places">{"".join(map(_place, moments))}</div>', data)


def _place(moment: Moment) -> str:
    """A button that goes to a moment."""
    words = escape("; ".join(moment.what))
    return (
        f'<button type="button" class="place" data-time="{moment.time_ns / 1e9:.9g}" '
        f'title="{words}"><b>{seconds(moment.time_ns)}</b> {words}</button>'
    )


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
