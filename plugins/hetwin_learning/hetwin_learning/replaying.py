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


def replayed(study: Study, folders: Sequence[Path], keep: Path | None = None) -> list[Any]:
    """Run episodes with the watcher of a study, and return the observations of each.

    Args:
        study: study of the scenario, with its watcher.
        folders: folders of the episodes.
        keep: folder that caches the observations, so that an episode is run only once; None: no cache.

    Raises:
        BadInput: if the scenario or an episode's scene cannot be used.
        RunFailed: if an episode cannot be run; the error names it.
    """
    kept = [None if keep is None else _kept(study, folder, keep) for folder in folders]
    found = dict(_known(kept))
    missing = (
        Draw.of_episode(folder, index) for index, folder in enumerate(folders) if index not in found
    )
    for run in study.runs(missing):
        if run.error is not None:
            raise RunFailed("learn", "replay", 0, f"{folders[run.index]}: {run.error}")
        found[run.index] = run.seen
        file = kept[run.index]
        if file is not None:
            write_text(file, json.dumps(run.seen))
    return [found[index] for index in range(len(folders))]


def _kept(study: Study, folder: Path, keep: Path) -> Path:
    """Return the cache file of an episode."""
    folder = folder.resolve()
    changes = [f"{file.name} {file.stat().st_size}" for file in sorted(folder.rglob("*"))]
    what = [repr(study.watcher), repr(study.scenario.document.data), str(folder), *changes]
    key = hashlib.sha256("\n".join(what).encode()).hexdigest()[:16]
    return keep / f"{folder.name}_{key}.json"


def _known(kept: Sequence[Path | None]) -> Iterator[tuple[int, Any]]:
    """Yield the cached observations with the indices of their episodes."""
    for index, file in enumerate(kept):
        if file is not None and file.is_file():
            yield index, json.loads(file.read_text(encoding="utf-8"))
