"""Runs each episode once, and caches its observations."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from hetwin_suite.command import write_text
from hetwin_suite.model import RunFailed
from hetwin_suite.study import Draw, Study


def replay_episodes(study: Study, folders: Sequence[Path], cache: Path | None = None) -> list[Any]:
    """Run episodes with the watcher of a study, and return the observations of each.

    Args:
        study: study of the scenario, with its watcher.
        folders: folders of the episodes.
        cache: folder that caches the observations, so that an episode is run only once; None: no cache.

    Raises:
        BadInput: if the scenario or an episode's scene cannot be used.
        RunFailed: if an episode cannot be run; the error names it.
    """
    files = [None if cache is None else _cache_file(study, folder, cache) for folder in folders]
    observations = dict(_cached_observations(files))
    missing = (
        Draw.of_episode(folder, index)
        for index, folder in enumerate(folders)
        if index not in observations
    )
    for run in study.runs(missing):
        if run.error is not None:
            raise RunFailed("learn", "replay", 0, f"{folders[run.index]}: {run.error}")
        observations[run.index] = run.seen
        file = files[run.index]
        if file is not None:
            write_text(file, json.dumps(run.seen))
    return [observations[index] for index in range(len(folders))]


def _cache_file(study: Study, folder: Path, cache: Path) -> Path:
    """Return the cache file of an episode."""
    folder = folder.resolve()
    changes = [f"{file.name} {file.stat().st_size}" for file in sorted(folder.rglob("*"))]
    key_parts = [repr(study.watcher), repr(study.scenario.document.data), str(folder), *changes]
    key = hashlib.sha256("\n".join(key_parts).encode()).hexdigest()[:16]
    return cache / f"{folder.name}_{key}.json"


def _cached_observations(files: Sequence[Path | None]) -> Iterator[tuple[int, Any]]:
    """Yield the cached observations with the indices of their episodes."""
    for index, file in enumerate(files):
        if file is not None and file.is_file():
            yield index, json.loads(file.read_text(encoding="utf-8"))
