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

_FOUND = "replayed.json"
_DAYS = 14
"""Age after which an unused replay is removed from the cache [days]."""


@dataclass(frozen=True, slots=True)
class ReplayRequest:
    """A requested replay; see `Twin.run`. An empty source is the scenario's own one."""

    scenario: str
    source: str
    variant: str | None
    engine: str | None
    seed: int | None
    within_s: float | None

    @property
    def words(self) -> str:
        """Scenario and recording, as text."""
        return f"{self.scenario} on {self.source or 'its own recording'}"


def replayed(wanted: ReplayRequest, settings: Settings) -> ReplayResult:
    """Return the result of a replay, from the cache if possible.

    Raises:
        NotJudged: if the recording or the engine is missing here.
        BadInput: if the scenario cannot be used.
    """
    base = settings.cache or _beside()
    job = ReplayJob(
        find_scenario(wanted.scenario),
        wanted.variant,
        options=RunOptions(engine=wanted.engine, seed=wanted.seed),
        out=base,
        keep="all",
        pages=False,
    )
    if wanted.within_s is not None:
        job = replace(job, within_s=wanted.within_s)
    job.warm()
    key = sha256(f"{job.identity} {_digest_of(job, wanted.source)}".encode()).hexdigest()[:24]
    folder = base / key
    known = None if settings.fresh and folder not in settings.made else _read(folder)
    if known is not None:
        os.utime(folder)
        return known
    found = _keep(_made(job, Replay(f"{key}.{os.getpid()}", wanted.source)), folder)
    if found.folder is not None:
        settings.made.add(found.folder)
    return found


@cache
def _beside() -> Path:
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


def _made(job: ReplayJob, task: Replay) -> ReplayResult:
    """Replay in a fork of this process, whose modules are loaded already.

    Raises:
        NotJudged: if the engine is missing here.
        BadInput: if the scenario cannot be used.
    """
    with closing(Processes(1).work(job, [task])) as done:
        (one,) = done
    if isinstance(one.error, BadInput) and one.error.where == "engine":
        raise NotJudged(str(one.error))
    if one.result is None:
        return ReplayResult("failed", error=one.lost, folder=job.folder(task))
    return one.result


def _keep(found: ReplayResult, folder: Path) -> ReplayResult:
    """Cache a complete replay; one that another process has cached meanwhile is equivalent."""
    if found.folder is None or found.error:
        if found.folder is not None:
            shutil.rmtree(found.folder, ignore_errors=True)
        return replace(found, folder=None)
    (found.folder / _FOUND).write_text(json.dumps(asdict(found), default=str), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    try:
        found.folder.rename(folder)
    except OSError:
        shutil.rmtree(found.folder, ignore_errors=True)
    return replace(found, folder=folder)


def _read(folder: Path) -> ReplayResult | None:
    try:
        row = json.loads((folder / _FOUND).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    told = {key: row[key] for key in ("verdict", "end_s", "digest", "error")}
    troubles = tuple(Trouble(*one) for one in row["troubles"])
    return ReplayResult(**told, troubles=troubles, coverage=tuple(row["coverage"]), folder=folder)


def forget_old(cache: Path) -> None:
    """Remove replays that no test has used for two weeks, and leftovers of killed processes."""
    for folder in cache.iterdir():
        old = time.time() - folder.stat().st_mtime > _DAYS * 86400
        left = "." in folder.name and not Path("/proc", folder.suffix[1:]).exists()
        if old or left:
            shutil.rmtree(folder, ignore_errors=True)
