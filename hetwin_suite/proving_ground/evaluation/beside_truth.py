"""The run of a wrong verdict with the truth as a ghost in it, as a page."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np

from hetwin_suite.episode import Episode
from hetwin_suite.page import Film, filmed, go_to, player, whole
from hetwin_suite.proving_ground.evaluation.wrong import TruePath, last_handover, parted_ns
from hetwin_suite.runs import seconds

PAGE = "beside_truth.html"


def write_beside_truth(episode: Episode, truth: TruePath, heading: str) -> Path:
    """Write the page into the run's folder.

    Args:
        episode: the run whose verdict is wrong.
        truth: of the episode that it replays; about an object of the scene.
        heading: what was said, and what was; plain text.

    Raises:
        BadInput: if the script of the pages has not been made.
    """
    film = filmed(episode)
    moments = _moments(episode, truth)
    first = " ".join(go_to(time_ns, f"{seconds(time_ns)}: {what}") for time_ns, what in moments)
    films = [film, true_film(film, truth)]
    body = (
        f"<header><h1>{escape(episode.scenario)}: the twin, and the truth</h1></header>"
        f'<section class="card look bad"><p class="how">{escape(heading)}</p>'
        f'<p class="first-differences">{first}</p>{player(films)}</section>'
    )
    told: dict[str, object] = {
        "names": ["the twin", "the truth"],
        "first": [{"time": time_ns / 1e9, "text": what} for time_ns, what in moments],
        "ghost": True,
    }
    path = episode.run / PAGE
    path.write_text(whole(f"{episode.scenario}: the truth", body, films, told), encoding="utf-8")
    return path


def true_film(film: Film, truth: TruePath) -> Film:
    """Return a film in which the object is where it really was, and nothing is said of models."""
    number = next(i for i, body in enumerate(film.scene.bodies) if body.name == truth.thing)
    poses = film.poses.copy()
    poses[:, number, :3] = truth.at(np.asarray(film.times, np.float64))
    return replace(film, poses=poses, changes=(), happenings=(), layers=(), clouds=())


def _moments(episode: Episode, truth: TruePath) -> list[tuple[int, str]]:
    """Return when the object was handed over last, and when twin and truth were clearly apart first."""
    found = []
    handover = last_handover(episode, truth.thing)
    if handover is not None:
        found.append((handover.time_ns, f"{truth.thing} handed over to {handover.to_model}"))
    apart_ns = parted_ns(episode, truth)
    if apart_ns is not None:
        found.append((apart_ns, "twin and truth are apart"))
    return sorted(found)
