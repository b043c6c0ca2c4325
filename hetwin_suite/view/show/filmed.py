"""The films of pages that look back: with all that can be seen beside bodies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.film import Film
from hetwin_suite.view.film.from_episode import film_of
from hetwin_suite.view.layers.find import layers_of


def filmed(episode: Episode, also_at: Iterable[int] = ()) -> Film:
    """Return the film of a run, with its layers if its tables can be read.

    Args:
        episode: the run.
        also_at: further times to keep the states of [ns].
    """
    film = film_of(episode, also_at)
    try:
        return replace(film, layers=layers_of(episode.tables, film.scene))
    except BadInput:  # a log that breaks off has states, and no tables
        return film
