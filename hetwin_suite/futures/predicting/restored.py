"""Futures that go on from a checkpoint, in other processes or on other machines."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.checkpoint.checkpoint import Checkpoint
from hetwin_core.ensemble.conductor.conductor import Conductor
from hetwin_core.ensemble.errors import HetwinError, Refused
from hetwin_core.ensemble.scenario.scenario import Scenario, load_scenario
from hetwin_core.ensemble.supervision.heartbeat import Heartbeat
from hetwin_core.ensemble.transport.local_ports import local_ports
from hetwin_core.projection.log_writer import RunLog
from hetwin_core.projection.tables.running import RunTables
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.one_run import overdue
from hetwin_suite.futures.predicting.future import Future
from hetwin_suite.futures.predicting.going_on import alter, failed, future_of
from hetwin_suite.futures.workers.work import Workers


@dataclass(frozen=True)
class Restored:
    """Lets a restored run go on with a draw; a task is the draw's place in the row.

    Attributes:
        checkpoint: of the run, at the moment.
        tables: of the run until then, pickled.
        draws: what each future differs in from the run.
        end_ns: until when they go on; None: to the end of the source.
        out: below it lie the folders of the futures.
        kept: whether each is kept as an episode.
    """

    checkpoint: Checkpoint
    tables: bytes
    draws: tuple[Draw, ...]
    end_ns: int | None
    out: Path
    kept: bool

    def warm(self) -> None:
        """See `Job.warm`."""
        self._scenario()

    def _scenario(self) -> Scenario:
        key = self.checkpoint.scenario, self.checkpoint.options.variant
        if key not in _LOADED:
            _LOADED[key] = load_scenario(Path(key[0]), key[1])
        return _LOADED[key]

    def do(self, task: int, heartbeat: Heartbeat | None) -> Future:
        """See `Job.do`: restore the run, and go on as a future."""
        draw, begun = self.draws[task], time.process_time()
        try:
            future = self._future(
                draw, heartbeat, self.folder(task) if self.is_kept(task) else None
            )
        except Refused as refusal:
            future = replace(failed(draw, str(refusal)), refused=True)
        except HetwinError as error:
            future = failed(draw, str(error))
        return replace(future, processor_s=time.process_time() - begun)

    def _future(self, draw: Draw, heartbeat: Heartbeat | None, folder: Path | None) -> Future:
        scenario = self._scenario()
        tables: RunTables = pickle.loads(self.tables)
        ports = local_ports(scenario, heartbeat, one_process=True)
        conductor = Conductor(scenario, ports, [tables], self.checkpoint.options)
        conductor.go_on_from(self.checkpoint)
        refusals: list[Refused] = []

        def at_barrier(now: BetweenSteps) -> None:
            if now.time_ns != self.checkpoint.time_ns:
                return
            try:
                alter(now, draw)
            except Refused as refusal:
                refusals.append(refusal)
                conductor.stop()
            if folder is not None:
                now.add_listener(RunLog(folder, state_rate=scenario.file.log.state_rate))
            if self.end_ns is not None:
                now.end_at(self.end_ns)

        conductor.at_barriers(at_barrier)
        summary = conductor.run()
        if refusals:
            raise refusals[0]
        return future_of(draw, summary, tables, scenario.file.outcomes, self.checkpoint.time_ns)

    def is_kept(self, task: int) -> bool:
        """Whether a future is kept as an episode."""
        return self.kept and self.draws[task].index >= 0

    def folder(self, task: int) -> Path:
        """See `Job.folder`."""
        return self.out / "futures" / f"{self.draws[task].index:04d}"

    def elsewhere(self, out: Path) -> Restored:
        """See `Job.elsewhere`."""
        return replace(self, out=out)

    def overdue(self, heartbeat: Heartbeat) -> str | None:
        """See `Job.overdue`."""
        return overdue(self._scenario(), heartbeat)


_LOADED: dict[tuple[str, str | None], Scenario] = {}
"""By file and variant, in each process that works."""


def futures_by(
    workers: Workers,
    job: Restored,
    until: float | None,
    progress: Callable[[Future], None],
    note: Callable[[str], None],
) -> list[Future]:
    """Let workers go on with futures, and return those that are over, in the order in which they were.

    Args:
        workers: who does it.
        job: what they do.
        until: of `time.monotonic`; None: all are waited for.
        progress: is called with each future that is over.
        note: is called with what is worth knowing about workers.
    """
    found: list[Future] = []
    for task, result, lost in workers.work(job, range(len(job.draws)), note):
        future = failed(job.draws[task], lost) if result is None else result
        if job.is_kept(task) and future.error is None:
            future = replace(future, folder=str(job.folder(task)))
        found.append(future)
        if future.index >= 0:
            progress(future)
        if until is not None and time.monotonic() >= until:
            break
    return found
