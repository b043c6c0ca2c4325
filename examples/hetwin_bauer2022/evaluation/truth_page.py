"""A page that plays the run of a wrong verdict, with the true path as a ghost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_bauer2022.evaluation.wrong_verdicts import TruePath, divergence_ns, last_handover
from hetwin_suite.episode import Episode
from hetwin_suite.page import Film, MarkedTime, Paragraph, film_with_layers, side_by_side

PAGE = "beside_truth.html"


def write_truth_page(episode: Episode, truth: TruePath, heading: str) -> Path:
    """Write the page into the run's folder.

    Args:
        episode: the run whose verdict is wrong.
        truth: true path of the same episode, about an object of the scene.
        heading: heading with the verdict and the truth.

    Raises:
        BadInput: if the script of the pages was not built.
    """
    film = film_with_layers(episode)
    page = side_by_side(
        title=f"{episode.scenario}: the truth",
        heading=f"{episode.scenario}: the twin, and the truth",
        tone="bad",
        said=[Paragraph(heading, "how")],
        films=[film, true_film(film, truth)],
        names=["the twin", "the truth"],
        moments=_moments(episode, truth),
        introduced="",
        ghost=True,
    )
    path = episode.run / PAGE
    path.write_text(page, encoding="utf-8")
    return path


def true_film(film: Film, truth: TruePath) -> Film:
    """Return a film in which the object follows its true path, without models."""
    number = next(i for i, body in enumerate(film.scene.bodies) if body.name == truth.thing)
    poses = film.poses.copy()
    poses[:, number, :3] = truth.at(np.asarray(film.times, np.float64))
    return replace(film, poses=poses, changes=(), happenings=(), layers=(), clouds=())


def _moments(episode: Episode, truth: TruePath) -> list[MarkedTime]:
    """Return the moments of the object's last handover, and of the first clear difference from the truth."""
    moments = []
    handover = last_handover(episode, truth.thing)
    if handover is not None:
        caption = f"{truth.thing} handed over to {handover.to_model}"
        moments.append(MarkedTime(handover.time_ns, caption))
    difference_ns = divergence_ns(episode, truth)
    if difference_ns is not None:
        moments.append(MarkedTime(difference_ns, "twin and truth differ"))
    return sorted(moments)
