"""Caches replays: each combination of recording, scenario and version is replayed once for all tests."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from hetwin_suite.command import find_file
from hetwin_suite.episode import file_digest
from hetwin_suite.model import BadInput
from hetwin_suite.runs import RunOptions, find_scenario
from hetwin_suite.study import Processes, Replay, ReplayJob, ReplayResult, Trouble
from hetwin_testing.settings import NotJudged, Settings

_RESULT_FILE = "replayed.json"
_DAYS = 14
"""Age after which an unused replay is removed from the cache [days]."""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A requested replay; see `Twin.run`. An empty `source` stands for the scenario's own recording."""

    scenario: str
    source: str
    variant: str | None
    engine: str | None
    seed: int | None
    within_s: float | None

    @property
    def description(self) -> str:
        """Scenario and recording, as text."""
        return f"{self.scenario} on {self.source or 'its own recording'}"


def cached_replay(request: ReplayRequest, settings: Settings) -> ReplayResult:
    """Return the result of a replay, from the cache if possible.

    Raises:
        NotJudged: if the recording or the engine is missing here.
        BadInput: if the scenario cannot be used.
    """
    base = settings.cache or _temporary_cache()
    job = ReplayJob(
        find_scenario(request.scenario),
        request.variant,
        options=RunOptions(engine=request.engine, seed=request.seed),
        out=base,
        keep="all",
        pages=False,
    )
    if request.within_s is not None:
        job = replace(job, within_s=request.within_s)
    job.warm()
    key = sha256(f"{job.identity} {_digest_of(job, request.source)}".encode()).hexdigest()[:24]
    folder = base / key
    cached = None if settings.fresh and folder not in settings.replay_folders else _read(folder)
    if cached is not None:
        os.utime(folder)
        return cached
    result = _store(_replay(job, Replay(f"{key}.{os.getpid()}", request.source)), folder)
    if result.folder is not None:
        settings.replay_folders.add(result.folder)
    return result


@cache
def _temporary_cache() -> Path:
    return Path(tempfile.mkdtemp(prefix="hetwin-tests-"))


def _digest_of(job: ReplayJob, source: str) -> str:
    """Return the digest of a recording.

    Raises:
        NotJudged: if the recording is missing.
    """
    if not source:
        return "own " + json.dumps(sorted(job.files()))
    path = find_file(source)
    if path is None:
        raise NotJudged(f"there is no recording {source}")
    return file_digest(path)


def _replay(job: ReplayJob, task: Replay) -> ReplayResult:
    """Replay in a fork of this process, which has the modules loaded already.

    Raises:
        NotJudged: if the engine is missing here.
        BadInput: if the scenario cannot be used.
    """
    with closing(Processes(1).work(job, [task])) as work:
        (finished,) = work
    if isinstance(finished.error, BadInput) and finished.error.where == "engine":
        raise NotJudged(str(finished.error))
    if finished.result is None:
        return ReplayResult("failed", error=finished.lost, folder=job.folder(task))
    return finished.result


def _store(result: ReplayResult, folder: Path) -> ReplayResult:
    """Cache a complete replay; a replay that another process has cached in the meantime is equivalent."""
    if result.folder is None or result.error:
        if result.folder is not None:
            shutil.rmtree(result.folder, ignore_errors=True)
        return replace(result, folder=None)
    (result.folder / _RESULT_FILE).write_text(
        json.dumps(asdict(result), default=str), encoding="utf-8"
    )
    shutil.rmtree(folder, ignore_errors=True)
    try:
        result.folder.rename(folder)
    except OSError:
        shutil.rmtree(result.folder, ignore_errors=True)
    return replace(result, folder=folder)


def _read(folder: Path) -> ReplayResult | None:
    try:
        row = json.loads((folder / _RESULT_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    fields = {key: row[key] for key in ("verdict", "end_s", "digest", "error")}
    troubles = tuple(Trouble(*trouble) for trouble in row["troubles"])
    return ReplayResult(**fields, troubles=troubles, coverage=tuple(row["coverage"]), folder=folder)


def remove_unused(cache: Path) -> None:
    """Remove replays that no test has used for two weeks, and leftovers of killed processes."""
    for folder in cache.iterdir():
        is_unused = time.time() - folder.stat().st_mtime > _DAYS * 86400
        is_leftover = "." in folder.name and not Path("/proc", folder.suffix[1:]).exists()
        if is_unused or is_leftover:
            shutil.rmtree(folder, ignore_errors=True)
