"""Records many episodes of one kind in parallel, each from a random generator of its own."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from zlib import crc32

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.writing import check_new, writing
from hetwin_suite._study.processes import Processes
from hetwin_suite._study.work import FunctionJob

DISTRIBUTION = "distribution.json"
"""File beside the recorded episodes: their recording parameters and the distribution of their labels."""
Summary: TypeAlias = Mapping[str, Any]
"""The summary of an episode: label, cause, and further keys of its kind."""


@dataclass(frozen=True, slots=True)
class Take:
    """Parameters of one episode of a recording; episode kinds with more options derive from this class.

    Attributes:
        seed: seed of the whole recording.
        index: index of the episode, from 0.
    """

    seed: int
    index: int

    def generator(self) -> np.random.Generator:
        """Return the generator of this episode: that of `SeedSequence(seed).spawn(n)[index]`, for any n."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(self.index,)))

    def random(self, purpose: str) -> np.random.Generator:
        """Return this episode's generator for one purpose, independent of the episode's other draws."""
        return named_generator(purpose, self.seed, self.index)

    @property
    def truth(self) -> dict[str, Any]:
        """Content of its `truth.json`."""
        return {"seed": self.seed, "index": self.index}


AnyTake = TypeVar("AnyTake", bound=Take)
Recorder: TypeAlias = Callable[[Path, AnyTake, np.random.Generator], Summary]
"""Writes an episode into a folder that does not exist, and returns its summary."""


def _ignore(name: str, summary: Summary) -> None:
    """Ignore the progress."""


def counts(summaries: Sequence[Summary]) -> dict[str, Any]:
    """Return the number of episodes, and how often each label and each cause occurs."""
    found: dict[str, Any] = {"episodes": len(summaries)}
    for key in ("label", "cause"):
        counted = Counter(str(s[key]) for s in summaries if s.get(key))
        found[f"{key}s"] = dict(sorted(counted.items()))
    return found


def record_episodes(
    kind: str,
    record: Recorder[AnyTake],
    first: AnyTake,
    count: int,
    out: Path,
    jobs: int | None = 1,
    on_episode: Callable[[str, Summary], None] = _ignore,
    *,
    look: Callable[[], None] = lambda: None,
    episode: int | None = None,
    chosen: Mapping[str, Any] | None = None,
    distribution: Callable[[Sequence[Summary]], Mapping[str, Any]] = counts,
) -> dict[str, Any]:
    """Write episodes ``KIND_0001`` ... and `distribution.json` into a folder, and return its content.

    Episode i of a seed does not depend on `count` and `jobs`.

    Args:
        kind: kind of the episodes, the prefix of their names.
        record: writes one episode; a function that other processes can import.
        first: the first take; the others differ only in their index.
        count: number of episodes.
        out: folder, which must be empty or missing.
        jobs: number of processes; None: one per core.
        on_episode: called with the name and the summary of each finished episode.
        look: called several times a second.
        episode: record only the episode with this number, from 1; then `count` is ignored.
        chosen: further content of `distribution.json`, such as chosen options.
        distribution: returns the statistics of the summaries for `distribution.json`.

    Raises:
        BadInput: if a number is too small, or `out` is not empty.
        RunFailed: if an episode cannot be recorded.
    """
    numbers = [("-n", count, 1), ("--seed", first.seed, 0)]
    numbers += [] if jobs is None else [("--jobs", jobs, 1)]
    numbers += [] if episode is None else [("--episode", episode, 1)]
    for option, value, minimum in numbers:
        if value < minimum:
            raise BadInput("is too small", where=option, found=value, expected=f">= {minimum}")
    is_new = not out.exists()
    _make_empty(out)
    indices = range(count) if episode is None else (episode - 1,)
    summaries: dict[int, Summary] = {}
    with _removing_new_folder(out, is_new):
        job = FunctionJob(partial(_record_one, kind, record, out))
        for finished in Processes(jobs).work(
            job, [replace(first, index=i) for i in indices], look=look
        ):
            summaries[finished.task.index] = finished.value
            on_episode(name_of(kind, finished.task.index), finished.value)
    counted = distribution([summaries[index] for index in indices])
    number = {} if episode is None else {"episode": episode}
    content = {"kind": kind, "seed": first.seed, **(chosen or {}), **number, **counted}
    (out / DISTRIBUTION).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return content


def name_of(kind: str, index: int) -> str:
    """Return the name of the episode with this index, from 0."""
    return f"{kind}_{index + 1:04d}"


def _record_one(kind: str, record: Recorder[AnyTake], out: Path, take: AnyTake) -> Summary:
    return record(out / name_of(kind, take.index), take, take.generator())


def _make_empty(out: Path) -> None:
    check_new(out)
    with writing("the folder", out, "--out"):
        out.mkdir(parents=True, exist_ok=True)


@contextmanager
def _removing_new_folder(out: Path, is_new: bool) -> Iterator[None]:
    """Remove a new folder without episodes if the input is refused."""
    try:
        yield
    except BadInput:
        if is_new and not any(out.iterdir()):
            out.rmdir()
        raise


def named_generator(purpose: str, *key: int) -> np.random.Generator:
    """Return a generator that depends only on a purpose and a key.

    Args:
        purpose: purpose of the draws; its CRC-32 is the first number of the seed.
        key: further numbers of the seed, each >= 0, e.g. seed and index of an episode.
    """
    return np.random.default_rng([crc32(purpose.encode()), *key])
