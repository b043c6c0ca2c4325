"""What a run is compared with: the same as it was believed and planned, and how far its futures spread."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_compare.comparison import Apart, Comparison
from hetwin_futures.predicting import predict
from hetwin_suite.command import followed
from hetwin_suite.episode import RECORDING, is_episode
from hetwin_suite.model import Floats
from hetwin_suite.runs import RunOptions
from hetwin_suite.study import Moment, RunResult, Study, run_logged, study_of

FUTURES = 8
"""Futures of the first run, of which the noise is taken."""


def run_as_planned(run: Path, out: Path, *, trust: bool = False) -> None:
    """Run again what a run was, with everything where the robot believed it, and nothing drawn.

    The scenario's file, its variant, the source, the seed and the duration are those of the run; where things are
    is what the scenario and a recorded episode say.

    Args:
        run: folder of the run.
        out: folder for the other one.
        trust: whether code beside the scenario that it names may be run.

    Raises:
        BadInput: if the folder holds no run, or it cannot be made again.
        HetwinError: if the run fails.
    """
    study, _ = study_of(run, out, trust=trust)
    study.options = _believed(study.options)
    run_logged(study, out)


def _believed(options: RunOptions) -> RunOptions:
    """The options without a scene; a recording that belongs to an episode is named by the episode."""
    source = options.source
    if source is not None:
        path = Path(source)
        if path.name == RECORDING and is_episode(path.parent):
            source = str(path.parent)
    return replace(options, source=source, scene={})


def noise_of(study: Study, found: Comparison) -> dict[str, float]:
    """Return how far objects spread in futures of a run by the time when they are first off in another one [m].

    The futures are made from the start of the run, with what the scenario says is uncertain drawn. The spread is the
    largest distance from their mean position; objects that move in none of them have none.

    Args:
        study: which makes runs like the first one.
        found: its comparison with the other one.

    Raises:
        BadInput: if the run cannot be made again.
        HetwinError: if it fails.
    """
    times = {name: _first_s(apart, found.to_ns) for name, apart in found.objects.items()}
    study.horizon_s = max(times.values(), default=0.0)
    start = Moment(at_s=0.0)
    futures = predict(study, start, FUTURES).finished if study.horizon_s > 0.0 else ()
    return {name: spread(futures, name, time_s) for name, time_s in times.items()}


def less_noise(run: Path, found: Comparison, jobs: int | None, *, trust: bool) -> Comparison:
    """Return the comparison of a run with another one without what is less than its futures spread.

    Args:
        run: folder of the first run.
        found: the comparison.
        jobs: processes; None: one per core.
        trust: whether code beside the scenario that the run names may be run.

    Raises:
        BadInput: if the run cannot be made again.
        HetwinError: if it fails.
    """
    study, _ = study_of(run, run, trust=trust)
    study.jobs = jobs
    followed(study, lambda done: f"{len(done)} of {FUTURES} futures")
    return without_noise(found, noise_of(study, found))


def _first_s(apart: Apart, end_ns: int) -> float:
    return (end_ns if apart.first_ns is None else apart.first_ns) / 1e9


def spread(futures: Sequence[RunResult], name: str, time_s: float) -> float:
    """Return the largest distance of an object's positions in futures from their mean, at a time [m]."""
    paths = [one.paths[name] for one in futures if name in one.paths]
    if not paths:
        return 0.0
    places: Floats = np.array([_at(path, time_s) for path in paths])
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max())


def _at(path: Floats, time_s: float) -> Floats:
    """(3,) the position at a time of a path (n, 4)."""
    return np.array([np.interp(time_s, path[:, 0], path[:, axis]) for axis in (1, 2, 3)])


def without_noise(found: Comparison, noise: Mapping[str, float]) -> Comparison:
    """Return the comparison with its noise; objects that are off by less than that are not off."""
    objects = {
        name: apart._replace(first_ns=None) if apart.most <= noise.get(name, 0.0) else apart
        for name, apart in found.objects.items()
    }
    state = found.divergence.state
    if state is not None:
        within = [
            name in objects and objects[name].first_ns is None and noise.get(name, 0.0) > 0.0
            for name in state.entities
        ]
        state = None if within and all(within) else state
    divergence = replace(found.divergence, state=state)
    return replace(found, divergence=divergence, objects=objects, noise=dict(noise))
