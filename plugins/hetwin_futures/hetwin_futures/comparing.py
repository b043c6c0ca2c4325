"""Compares a run with its rerun as believed and planned, and with the spread of its futures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hetwin_compare.comparison import Apart, Comparison
from hetwin_futures.of_run import run_logged, study_of
from hetwin_futures.predicting import predict
from hetwin_suite.command import follow_study
from hetwin_suite.episode import RECORDING, is_episode
from hetwin_suite.model import Floats
from hetwin_suite.runs import RunOptions
from hetwin_suite.study import Moment, RunResult, Study

FUTURES = 8
"""Number of futures of the first run; their spread is the noise of the comparison."""


def run_as_planned(run: Path, out: Path, *, trust: bool = False) -> None:
    """Rerun a run as the robot believed and planned it: nothing is drawn.

    The scenario's file, its variant, the source, the seed and the duration are those of the run. Poses are the ones
    that the scenario or the recorded episode gives.

    Args:
        run: folder of the run.
        out: folder for the rerun.
        trust: whether Python files beside the scenario that it names may be executed.

    Raises:
        BadInput: if the folder holds no run, or the run cannot be repeated.
        HetwinError: if the run fails.
    """
    study, _ = study_of(run, out, trust=trust)
    study.options = _believed(study.options)
    run_logged(study, out)


def _believed(options: RunOptions) -> RunOptions:
    """Return the options without a scene; a recording of an episode is named by its episode."""
    source = options.source
    if source is not None:
        path = Path(source)
        if path.name == RECORDING and is_episode(path.parent):
            source = str(path.parent)
    return replace(options, source=source, scene={})


def noise_of(study: Study, found: Comparison) -> dict[str, float]:
    """Return object -> its spread in futures of a run, in m, when it first differs from another run.

    The futures start with the run and draw the scenario's uncertainty. The spread is the largest distance from the mean
    position; it is 0 for objects that move in no future.

    Args:
        study: makes runs like the first one.
        found: comparison of the first run with the other one.

    Raises:
        BadInput: if the run cannot be repeated.
        HetwinError: if it fails.
    """
    times = {name: _first_s(apart, found.to_ns) for name, apart in found.objects.items()}
    study.horizon_s = max(times.values(), default=0.0)
    start = Moment(at_s=0.0)
    futures = predict(study, start, FUTURES).finished if study.horizon_s > 0.0 else ()
    return {name: spread(futures, name, time_s) for name, time_s in times.items()}


def less_noise(run: Path, found: Comparison, jobs: int | None, *, trust: bool) -> Comparison:
    """Return the comparison of two runs without the differences that are within the spread of the first run's futures.

    Args:
        run: folder of the first run.
        found: the comparison.
        jobs: processes; None: one per core.
        trust: whether Python files beside the scenario may be executed.

    Raises:
        BadInput: if the run cannot be repeated.
        HetwinError: if it fails.
    """
    study, _ = study_of(run, run, trust=trust)
    study.jobs = jobs
    follow_study(study, lambda done: f"{len(done)} of {FUTURES} futures")
    return without_noise(found, noise_of(study, found))


def _first_s(apart: Apart, end_ns: int) -> float:
    return (end_ns if apart.first_ns is None else apart.first_ns) / 1e9


def spread(futures: Sequence[RunResult], name: str, time_s: float) -> float:
    """Return the largest distance in m of an object from its mean position over the futures at `time_s`."""
    paths = [future.paths[name] for future in futures if name in future.paths]
    if not paths:
        return 0.0
    places: Floats = np.array([_at(path, time_s) for path in paths])
    return float(np.linalg.norm(places - places.mean(axis=0), axis=1).max())


def _at(path: Floats, time_s: float) -> Floats:
    """Return (3,) the position at `time_s`, interpolated on a path (n, 4) of time, x, y, z."""
    return np.array([np.interp(time_s, path[:, 0], path[:, axis]) for axis in (1, 2, 3)])


def without_noise(found: Comparison, noise: Mapping[str, float]) -> Comparison:
    """Return the comparison with its noise; objects whose difference is within the noise count as equal."""
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
