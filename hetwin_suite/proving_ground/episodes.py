"""Records many episodes of one kind in parallel, each from its own random generator."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import BadInput, RunFailed
from hetwin_core.ensemble.resources import resource
from hetwin_suite.proving_ground.distribution import distribution
from hetwin_suite.proving_ground.drops.episode import record as record_drop
from hetwin_suite.proving_ground.insertions.episode import record as record_insertion
from hetwin_suite.proving_ground.kind import Kind

DISTRIBUTION = "distribution.json"

Summary: TypeAlias = Mapping[str, Any]
"""The summary of an episode: label, cause, margin ..."""


RECORDERS: Mapping[Kind, Callable[[Path, int, np.random.Generator, Path], Summary]] = {
    Kind.DROP: record_drop,
    Kind.INSERTION: record_insertion,
}


def _ignore(name: str, summary: Summary) -> None:
    """Ignore the progress."""


def record_episodes(
    kind: Kind,
    count: int,
    seed: int,
    out: Path,
    jobs: int = 1,
    on_episode: Callable[[str, Summary], None] = _ignore,
) -> dict[str, Any]:
    """Write episodes ``drop_0001`` ... and `distribution.json` into `out`.

    Episode i of a seed does not depend on `count` and `jobs`.

    Args:
        kind: of the episodes.
        count: number of episodes.
        seed: of all random numbers.
        out: folder, which must be empty or missing.
        jobs: number of processes.
        on_episode: called with the name and the summary of each finished episode.

    Returns:
        The content of `distribution.json`.

    Raises:
        BadInput: if a number is too small or `out` is not empty.
        RunFailed: if an episode cannot be recorded.
    """
    for name, value, least in (("episodes", count, 1), ("jobs", jobs, 1), ("seed", seed, 0)):
        if value < least:
            raise BadInput("is too small", where=f"--{name}", found=value, expected=f">= {least}")
    _make_free(out)
    root = resource("worlds").parent
    tasks = [(kind, index, seed, out, root) for index in range(count)]
    summaries: dict[int, Summary] = {}
    for index, summary in _results(tasks, min(jobs, count)):
        summaries[index] = summary
        on_episode(name_of(kind, index), summary)
    counted = distribution([summaries[index] for index in range(count)])
    found = {"kind": kind.value, "seed": seed, **counted}
    (out / DISTRIBUTION).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    return found


def name_of(kind: Kind, index: int) -> str:
    """Return the name of the episode with this index, from 0."""
    return f"{kind.value}_{index + 1:04d}"


def _make_free(out: Path) -> None:
    problem = "is not a folder"
    if out.is_dir():
        problem = "is not empty" if any(out.iterdir()) else ""
    elif not out.exists():
        try:
            out.mkdir(parents=True)
            problem = ""
        except OSError as error:
            problem = f"cannot be made: {error.strerror}"
    if problem:
        raise BadInput(problem, where="--out", found=str(out), expected="a new or empty folder")


_Task: TypeAlias = tuple[Kind, int, int, Path, Path]


def _results(tasks: Sequence[_Task], jobs: int) -> Iterator[tuple[int, Summary]]:
    if jobs == 1:
        yield from map(_record_one, tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        try:
            for done in as_completed([pool.submit(_record_one, task) for task in tasks]):
                yield done.result()
        except BrokenProcessPool as error:
            reason = "a process that recorded episodes died; is there enough memory?"
            raise RunFailed("record", "simulate", 0, reason) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _record_one(task: _Task) -> tuple[int, Summary]:
    kind, index, seed, out, root = task
    # The same child as SeedSequence(seed).spawn(n)[index], for any n.
    random = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(index,)))
    return index, RECORDERS[kind](out / name_of(kind, index), index, random, root)
