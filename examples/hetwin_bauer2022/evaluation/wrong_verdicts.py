"""Reasons for a wrong verdict: the object's path in the twin compared with its true path."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hetwin_stills import Moment
from hetwin_suite.episode import TRUTH, Episode
from hetwin_suite.model import Floats
from hetwin_suite.page import (
    SERIES,
    Axis,
    Chart,
    Panel,
    length,
    lines_over,
    stored_concerns,
    time_span,
)
from hetwin_suite.runs import Handover, seconds

_DIVERGENCE_M = 0.02
_COLUMNS = ("time", "x", "y", "z")


@dataclass(frozen=True)
class TruePath:
    """The true path of the object.

    Attributes:
        thing: name of the object.
        path: (n, 4) time after the start [s], x y z in the world [m].
    """

    thing: str
    path: Floats

    @classmethod
    def of(cls, folder: Path) -> TruePath | None:
        """Return the true path in an episode's folder; None if it has none."""
        truth = json.loads((folder / TRUTH).read_text(encoding="utf-8"))
        columns, rows = truth.get("columns") or [], truth.get("path") or []
        if not rows or not set(_COLUMNS) <= set(columns) or "object" not in truth:
            return None
        chosen = [columns.index(name) for name in _COLUMNS]
        return cls(str(truth["object"]), np.array(rows, np.float64)[:, chosen])

    def at(self, times: Floats) -> Floats:
        """Return (n, 3) positions at times [s]; constant before the first and after the last sample."""
        times_of_path = self.path[:, 0]
        return np.stack(
            [np.interp(times, times_of_path, self.path[:, i]) for i in (1, 2, 3)], axis=1
        )


def explain(episode: Episode, truth: TruePath) -> list[str]:
    """Return sentences about the last handover, the object's positions at that time and at the end, and oddities.

    Args:
        episode: the run whose verdict is wrong.
        truth: true path of the same episode, about an object of the scene.
    """
    distances = _distances(episode, truth)
    handover = last_handover(episode, truth.thing)
    sentences = [_handover_sentence(episode, truth, handover)]
    times = [] if handover is None else [(handover.time_ns, "Then")]
    for time_ns, when in [*times, (int(episode.times[-1]), "At the end")]:
        index = episode.index_at(time_ns)
        twin = episode.pose(truth.thing)[index, :3]
        real = truth.at(episode.seconds[index : index + 1])[0]
        sentences.append(
            f"{when} the twin had it at {_position_text(twin)} m, the truth at {_position_text(real)} m: "
            f"{length(float(distances[index]))} apart."
        )
    sentences.append(_divergence_sentence(episode, truth))
    sentences += [
        f"Odd: {concern.text}." for concern in stored_concerns(episode) if concern.serious
    ]
    return sentences


def distance_figure(episode: Episode, truth: TruePath) -> Chart:
    """Plot the distance between the object in the twin and in truth, with all handovers of its pose."""
    distance = {"distance": 1e2 * _distances(episode, truth)}
    lines = list(lines_over(episode, distance, SERIES[1:], unit="cm", decimals=2))
    panel = Panel(lines, Axis("apart [cm]", from_zero=True))
    marks = [h.time_ns / 1e9 for h in _handovers(episode, truth.thing)]
    return Chart([panel], time_span(episode), height=130, marks=marks, legend=False)


def decisive_moments(episode: Episode, thing: str) -> list[Moment]:
    """Return the moments of the object's last handover and of the end."""
    handover = last_handover(episode, thing)
    end = Moment(episode.end_ns, "the end", thing)
    if handover is None or episode.end_ns - handover.time_ns < 1e8:
        return [end]
    words = f"{thing} handed over to {handover.to_model}"
    return [Moment(handover.time_ns, words, thing), end]


def last_handover(episode: Episode, thing: str) -> Handover | None:
    """Return the last handover of an object's pose; None if there was none."""
    handovers = _handovers(episode, thing)
    return handovers[-1] if handovers else None


def _handovers(episode: Episode, thing: str) -> list[Handover]:
    return [h for h in episode.handovers if (h.entity, h.attribute) == (thing, "pose")]


def _handover_sentence(episode: Episode, truth: TruePath, handover: Handover | None) -> str:
    if handover is None:
        main = next((model.name for model in episode.models if model.main), "one model")
        return f"{truth.thing} was never handed over: {main} moved it all the time."
    return (
        f"The pose of {truth.thing} was handed over last at {seconds(handover.time_ns)}, from "
        f"{handover.from_model} to {handover.to_model} ({handover.cause})."
    )


def divergence_ns(episode: Episode, truth: TruePath) -> int | None:
    """Return the first time at which twin and truth differ clearly [ns]; None if they never do."""
    indices = np.flatnonzero(_distances(episode, truth) > _DIVERGENCE_M)
    return int(episode.times[indices[0]]) if len(indices) else None


def _divergence_sentence(episode: Episode, truth: TruePath) -> str:
    time_ns = divergence_ns(episode, truth)
    if time_ns is None:
        return f"They were never more than {length(_DIVERGENCE_M)} apart."
    return f"They were more than {length(_DIVERGENCE_M)} apart first at {seconds(time_ns)}."


def _distances(episode: Episode, truth: TruePath) -> Floats:
    """Return (n,) distances of the object's origin from its true position [m]."""
    real = truth.at(episode.seconds)
    distance: Floats = np.linalg.norm(episode.pose(truth.thing)[:, :3] - real, axis=1)
    return distance


def _position_text(position: Floats) -> str:
    return "(" + ", ".join(f"{round(float(x), 3) + 0.0:.3f}" for x in position) + ")"
