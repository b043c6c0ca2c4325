"""A process that was forked from a run at a barrier, and computes futures one after the other.

After each future the process rewinds the run to the barrier. This costs less than another fork, whose memory pages are
copied as they change.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunSummary
from hetwin_core.ensemble.errors import HetwinError
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import RunTables
from hetwin_suite._study.draw import Draw
from hetwin_suite._study.forks import Forked
from hetwin_suite._study.judging import result_of
from hetwin_suite._study.making import RunJob, apply_draw, run_guarded
from hetwin_suite._study.run_result import RunResult

Report_co = TypeVar("Report_co", covariant=True)


class Continuation(Protocol[Report_co]):
    """Continues a forked run after its draw has been applied; its methods are called in the fork."""

    def begin(self, run: BetweenSteps) -> None:
        """Prepare the run for its next steps.

        Raises:
            Refused: if the run cannot be continued.
        """

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> Report_co:
        """Return the report that is sent to the parent process.

        Args:
            future: result of the future.
            summary: summary of the whole run.
            scene: scene at the end of the run.
        """


class WholeEnsemble:
    """Continues with all models, as the run did before."""

    def begin(self, run: BetweenSteps) -> None:
        """Do nothing."""

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> RunResult:
        """Return the future's result."""
        return future


@dataclass(frozen=True, slots=True)
class ForkedRun:
    """This process, a fork of the process whose run arrived at the moment.

    Attributes:
        scenario: scenario of the run.
        job: how futures are kept and judged, and the time at which they end.
        continuation: how futures continue the run.
        run: the run at the moment.
        ports: models of the run, all in this process.
        tables: tables of the run until the moment; the run reports to them.
    """

    scenario: Scenario
    job: RunJob
    continuation: Continuation[Any]
    run: BetweenSteps
    ports: Sequence[ModelPort]
    tables: RunTables

    def work(self, forked: Forked[Draw, Any]) -> NoReturn:
        """Compute futures until no draws remain, and exit the process."""
        for port in self.ports:
            assert isinstance(port, LocalPort)  # all are in one process
            port.report_to(forked.heartbeat.row(port.plan.index))
        mark, at_ns = None, self.run.time_ns
        with suppress(HetwinError):  # not every run can be rewound
            mark = self.run.mark() if forked.more else None
        copied = None if mark is None else self.tables.copier()
        while True:
            tables = self.tables if copied is None else copied()
            result, is_over = self._compute_future(forked.task, tables, at_ns)
            if mark is None or not (is_over and forked.more):
                forked.end(result)
            try:
                self.run.rewind(mark)
            except HetwinError:
                forked.end(result)
            forked = forked.next(result)

    def _compute_future(self, draw: Draw, tables: RunTables, at_ns: int) -> tuple[object, bool]:
        """Compute the future of a draw; returns its report, and whether the run ended without an error."""
        folder, summaries = self.job.folder(draw), list[RunSummary]()

        def compute() -> RunResult:
            summary = self._continue(draw, tables, folder)
            summaries.append(summary)
            outcomes, utility = self.scenario.file.outcomes, self.job.utility
            return result_of(draw, summary, tables, outcomes, at_ns, utility)

        future = run_guarded(draw, compute)
        if not summaries:
            return future, False
        if folder is not None and future.error is None:
            future = replace(future, folder=str(folder))
        (summary,) = summaries
        return self.continuation.end(future, summary, self.run.scene), summary.error is None

    def _continue(self, draw: Draw, tables: RunTables, folder: Path | None) -> RunSummary:
        apply_draw(self.run, draw)
        self.continuation.begin(self.run)
        listeners: list[RunListener] = [tables]
        if folder is not None:
            listeners.append(RunLog(folder, state_rate=self.scenario.file.log.state_rate))
        self.run.replace_listeners(listeners)
        if self.job.end_ns is not None:
            self.run.end_at(self.job.end_ns)
        return self.run.go_on()
