"""A process that was forked from a run at a barrier, and goes on as one future after the other.

To come back to the barrier costs less than another fork, whose memory is copied page by page as it changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from hetwin_core.ensemble.conductor.between_steps import BetweenSteps, Mark
from hetwin_core.ensemble.conductor.reporting.listener import RunListener
from hetwin_core.ensemble.errors import HetwinError, Refused
from hetwin_core.ensemble.scenario.scenario import Scenario
from hetwin_core.ensemble.transport.local import LocalPort
from hetwin_core.ensemble.transport.port import ModelPort
from hetwin_core.projection.log_writer import RunLog
from hetwin_core.projection.tables.running import RunTables
from hetwin_suite.futures.drawing.draw import Draw
from hetwin_suite.futures.predicting.going_on import alter, failed, future_of
from hetwin_suite.futures.predicting.ways import Way
from hetwin_suite.futures.workers.forks import Forked


@dataclass(frozen=True, slots=True)
class Asked:
    """What futures are asked.

    Attributes:
        scenario: of the run.
        way: how they go on.
        at_ns: the moment from which on [ns].
        end_ns: until when [ns]; None: to the end of the source.
        utility: a question to each one's episode whose answer is its value; None: whether all outcomes came about.
        out: folder in which each is kept as an episode, by its index; None: nowhere.
    """

    scenario: Scenario
    way: Way[Any]
    at_ns: int
    end_ns: int | None
    utility: str | None
    out: Path | None

    def folder(self, draw: Draw) -> Path | None:
        """Return where a future is kept; one with a negative index, which is none of those asked for, nowhere."""
        if self.out is None or draw.index < 0:
            return None
        return self.out / "futures" / f"{draw.index:04d}"


class Copy:
    """This process, which is a copy of the one that came to the moment.

    Args:
        asked: what is asked.
        run: at the moment.
        ports: its models, all in this process.
        tables: of the run until then, to which it reports.
    """

    def __init__(
        self, asked: Asked, run: BetweenSteps, ports: Sequence[ModelPort], tables: RunTables
    ) -> None:
        self._asked, self._run, self._ports, self._tables = asked, run, ports, tables

    def work(self, forked: Forked[Draw, Any]) -> NoReturn:
        """Go on as futures until there is none to be made, and end the process."""
        for port in self._ports:
            assert isinstance(port, LocalPort)  # all are in one process
            port.report_to(forked.heartbeat.row(port.plan.index))
        mark = self._mark() if forked.more else None
        while True:
            tables = self._tables if mark is None else self._tables.copied()
            result, is_over = self._future(forked.task, tables)
            if mark is None or not (is_over and self._is_back_at(mark)):
                forked.end(result)
            forked = forked.next(result)

    def _mark(self) -> Mark | None:
        """Return what brings the run back to the moment; None if it cannot be brought back."""
        try:
            return self._run.mark()
        except HetwinError:
            return None

    def _is_back_at(self, mark: Mark) -> bool:
        """Bring the run back to the moment; returns whether that was possible."""
        try:
            self._run.rewind(mark)
        except HetwinError:
            return False
        return True

    def _future(self, draw: Draw, tables: RunTables) -> tuple[object, bool]:
        """Go on with a draw; returns what is told of it, and whether the run came to its end."""
        asked, run, folder = self._asked, self._run, self._asked.folder(draw)
        try:
            alter(run, draw)
            asked.way.begin(run)
            listeners: list[RunListener] = [tables]
            if folder is not None:
                listeners.append(RunLog(folder, state_rate=asked.scenario.file.log.state_rate))
            run.replace_listeners(listeners)
            if asked.end_ns is not None:
                run.end_at(asked.end_ns)
            summary = run.go_on()
        except Exception as error:
            reason = (
                str(error) if isinstance(error, HetwinError) else f"{type(error).__name__}: {error}"
            )
            return replace(failed(draw, reason), refused=isinstance(error, Refused)), False
        outcomes = asked.scenario.file.outcomes
        future = future_of(draw, summary, tables, outcomes, asked.at_ns, asked.utility)
        if folder is not None and future.error is None:
            future = replace(future, folder=str(folder))
        return asked.way.end(future, summary, run.scene), summary.error is None
