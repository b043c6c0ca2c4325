"""The job of learning: runs each episode once, and keeps what was seen of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.scenario.episode_folder import RECORDING, believed_scene
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.ensemble.words import failure_row_words
from hetwin_core.ensemble.writing import write_atomically
from hetwin_suite.futures.learning.watching import Watcher
from hetwin_suite.futures.one_run import overdue
from hetwin_suite.futures.workers.processes import Processes

_LOADED: dict[str, Scenario] = {}
"""By job, in each process that works on it."""


@dataclass(frozen=True)
class Replaying:
    """Runs episodes and watches them; a task is an episode's index.

    Args:
        watcher: what is watched for.
        folders: of the episodes.
        keep: folder that keeps what was seen; None: nothing is kept.
    """

    watcher: Watcher
    folders: tuple[Path, ...]
    keep: Path | None = None

    def warm(self) -> None:
        """See `Job.warm`."""
        self._scenario()

    def _scenario(self) -> Scenario:
        key = repr(self.watcher)
        if key not in _LOADED:
            _LOADED[key] = self.watcher.scenario()
        return _LOADED[key]

    def do(self, task: int, heartbeat: Heartbeat | None) -> Any:
        """See `Job.do`: return what was seen, or the error in words, as (seen, error)."""
        kept = self._kept(task)
        if kept is not None and kept.is_file():
            return json.loads(kept.read_text(encoding="utf-8")), ""
        try:
            seen = self._run(task, heartbeat)
        except HetwinError as error:
            return None, str(error)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(kept, json.dumps(seen))
        return seen, ""

    def _run(self, task: int, heartbeat: Heartbeat | None) -> Any:
        scenario, folder = self._scenario(), self.folders[task]
        ports = local_ports(scenario, heartbeat, one_process=True)
        options = RunOptions(source=str(folder / RECORDING), scene=believed_scene(str(folder)))
        conductor = Conductor(scenario, ports, (), options)
        watch = self.watcher.begin(scenario, ports)
        conductor.at_barriers(watch.look)
        summary = conductor.run()
        if summary.error is not None:
            raise HetwinError(failure_row_words(summary.error))
        return watch.seen()

    def _kept(self, task: int) -> Path | None:
        """Return the file that keeps what was seen of an episode."""
        if self.keep is None:
            return None
        folder = self.folders[task].resolve()
        changes = [f"{file.name} {file.stat().st_size}" for file in sorted(folder.rglob("*"))]
        what = [repr(self.watcher), repr(self._scenario().document.data), str(folder), *changes]
        key = hashlib.sha256("\n".join(what).encode()).hexdigest()[:16]
        return self.keep / f"{folder.name}_{key}.json"

    def folder(self, task: int) -> Path:
        """See `Job.folder`; no files are left there."""
        return self.folders[task]

    def elsewhere(self, out: Path) -> Replaying:
        """See `Job.elsewhere`."""
        return replace(self)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        return overdue(self._scenario(), heartbeat)


def replayed(
    watcher: Watcher,
    folders: Sequence[Path],
    keep: Path | None = None,
    jobs: int | None = None,
    note: Callable[[str], None] = lambda _: None,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Any]:
    """Run all episodes; return what was seen of each.

    Args:
        watcher: what is watched for.
        folders: of the episodes.
        keep: folder that keeps what was seen, so that it need not be run again.
        jobs: processes; None: one per core.
        note: is called with what is worth knowing.
        progress: is called with how many episodes are over.

    Raises:
        BadInput: if the scenario cannot be used.
        RunFailed: if an episode cannot be run; it is named.
    """
    job = Replaying(watcher, tuple(folders), keep)
    found: dict[int, Any] = {}
    with closing(Processes(jobs).work(job, range(len(folders)), note)) as finished:
        for task, result, lost in finished:
            seen, error = (None, lost) if result is None else result
            if error:
                raise RunFailed("learn", "replay", 0, f"{folders[task]}: {error}")
            found[task] = seen
            progress(len(found))
    return [found[task] for task in range(len(folders))]
