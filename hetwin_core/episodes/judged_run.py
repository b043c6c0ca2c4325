"""The purpose of a run: whether its tasks' goals and its scenario's outcomes hold at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hetwin_core.ensemble.conductor.reporting.concerns import (
    Severity,
    verdict_of,
    worst_first,
)
from hetwin_core.ensemble.conductor.reporting.coverage import Claim, CoverageRow
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.ensemble.tasks import Status
from hetwin_core.episodes.log_writer import RunLog

if TYPE_CHECKING:
    from hetwin_core.episodes.judge import Judgement
    from hetwin_core.episodes.tables.tables import Tables

Row = Mapping[str, Json]


class RunJudge(RunListener):
    """Evaluates the purpose of a finished run, for the summary that all listeners receive.

    Args:
        log: log of the run; it is finished before it is read.
    """

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._given: Mapping[str, Any] = {}

    def started(self, start: RunStart) -> None:
        """Keep the run's input."""
        self._given = start.given

    def judged(self, summary: RunSummary) -> RunSummary:
        """Return the summary with the additions of `judged_run`.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        if summary.error is None:
            self._log.close()
        return judged_run(summary, self._read, self._given)

    def _read(self) -> Tables:
        from hetwin_core.episodes.tables.open import Follower

        return Follower(self._log.out).poll()


def judged_run(
    summary: RunSummary, read: Callable[[], Tables], given: Mapping[str, Any]
) -> RunSummary:
    """Return the summary of a run, with its tasks' goals and its outcomes in coverage, concerns and verdict.

    Args:
        summary: summary of the run from its observers.
        read: returns the tables of its finished episode.
        given: the run's input; ``scenario`` and ``duration`` are read.
    """
    outcomes: Mapping[str, str] = (given.get("scenario") or {}).get("outcomes") or {}
    has_goals = any(_is_done_goal(event) for event in summary.events)
    if not outcomes and not has_goals:
        return summary
    # imported here, so that a run starts without loading the readers of its episode
    from hetwin_core.episodes.asking.asked import AskedTables
    from hetwin_core.episodes.judge import Judge, Judgement

    why = {"failed": say("coverage.run_failed"), "stopped": say("coverage.run_stopped")}
    found = [
        Judgement(CoverageRow(Claim.OUTCOME, name, False, why=why.get(summary.verdict, "")))
        for name in outcomes
    ]
    if summary.verdict not in why:
        try:
            questions = AskedTables(read())
        except BadInput as error:
            found = [Judgement(replace(item.row, why=error.problem)) for item in found]
        else:
            end_ns = round(summary.simulated_time * 1e9)
            judge = Judge(questions, end_ns, is_cut=given.get("duration") is not None)
            found = [*judge.goals(), *(judge.outcome(*item) for item in outcomes.items())]
    return _with_judgements(summary, found)


def _is_done_goal(event: Row) -> bool:
    task = event.get("arguments")
    return isinstance(task, dict) and task.get("status") == Status.DONE and bool(task.get("goal"))


def _with_judgements(summary: RunSummary, found: list[Judgement]) -> RunSummary:
    rows = {(row["claim"], row["subject"]): row for row in summary.coverage}
    rows |= {(item.row.claim.value, item.row.subject): item.row.row() for item in found}
    new_concerns = [item.concern.row() for item in found if item.concern is not None]
    concerns = sorted((*summary.concerns, *new_concerns), key=worst_first)
    return replace(
        summary,
        coverage=tuple(rows.values()),
        concerns=tuple(concerns),
        verdict=verdict_of(
            (Severity(str(row["severity"])) for row in concerns),
            unseen=any(not row["checked"] and row["matters"] for row in rows.values()),
            ended=summary.verdict,
        ).value,
    )
