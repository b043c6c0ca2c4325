"""A process that was forked from a run at a barrier, and goes on as one future after the other.

To come back to the barrier costs less than another fork, whose memory is copied page by page as it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, Protocol, TypeVar

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps, Mark
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
from hetwin_suite._study.making import Making, alter, guarded
from hetwin_suite._study.run_result import RunResult

Told_co = TypeVar("Told_co", covariant=True)


class Way(Protocol[Told_co]):
    """How a copy of a run goes on, once it has its draw; in the copy itself."""

    def begin(self, run: BetweenSteps) -> None:
        """Prepare it.

        Raises:
            Refused: if it cannot go on in this way.
        """

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> Told_co:
        """Return its report.

        Args:
            future: its result.
            summary: of the whole run.
            scene: at its end.
        """


class AsItIs:
    """As the ensemble that it is."""

    def begin(self, run: BetweenSteps) -> None:
        """Do nothing."""

    def end(self, future: RunResult, summary: RunSummary, scene: Snapshot) -> RunResult:
        """Report its result."""
        return future


@dataclass(frozen=True, slots=True)
class Copy:
    """This process, which is a copy of the one that came to the moment.

    Attributes:
        scenario: of the run.
        job: how futures are kept and judged, and until when they go on.
        way: how they go on.
        run: at the moment.
        ports: its models, all in this process.
        tables: of the run until then, to which it reports.
    """

    scenario: Scenario
    job: Making
    way: Way[Any]
    run: BetweenSteps
    ports: Sequence[ModelPort]
    tables: RunTables

    def work(self, forked: Forked[Draw, Any]) -> NoReturn:
        """Go on as futures until there is none to be made, and end the process."""
        for port in self.ports:
            assert isinstance(port, LocalPort)  # all are in one process
            port.report_to(forked.heartbeat.row(port.plan.index))
        mark, at_ns = self._mark() if forked.more else None, self.run.time_ns
        while True:
            tables = self.tables if mark is None else self.tables.copied()
            result, is_over = self._future(forked.task, tables, at_ns)
            if mark is None or not (is_over and self._is_back_at(mark)):
                forked.end(result)
            forked = forked.next(result)

    def _mark(self) -> Mark | None:
        """Return a function that brings the run back to the moment; None if it cannot be brought back."""
        try:
            return self.run.mark()
        except HetwinError:
            return None

    def _is_back_at(self, mark: Mark) -> bool:
        """Bring the run back to the moment; returns whether that was possible."""
        try:
            self.run.rewind(mark)
        except HetwinError:
            return False
        return True

    def _future(self, draw: Draw, tables: RunTables, at_ns: int) -> tuple[object, bool]:
        """Go on with a draw; returns its report, and whether the run came to its end."""
        folder, summaries = self.job.folder(draw), list[RunSummary]()

        def made() -> RunResult:
            summary = self._gone_on(draw, tables, folder)
            summaries.append(summary)
            outcomes, utility = self.scenario.file.outcomes, self.job.utility
            return result_of(draw, summary, tables, outcomes, at_ns, utility)

        future = guarded(draw, made)
        if not summaries:
            return future, False
        if folder is not None and future.error is None:
            future = replace(future, folder=str(folder))
        (summary,) = summaries
        return self.way.end(future, summary, self.run.scene), summary.error is None

    def _gone_on(self, draw: Draw, tables: RunTables, folder: Path | None) -> RunSummary:
        alter(self.run, draw)
        self.way.begin(self.run)
        listeners: list[RunListener] = [tables]
        if folder is not None:
            listeners.append(RunLog(folder, state_rate=self.scenario.file.log.state_rate))
        self.run.replace_listeners(listeners)
        if self.job.end_ns is not None:
            self.run.end_at(self.job.end_ns)
        return self.run.go_on()
