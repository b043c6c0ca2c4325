"""What a run was for: whether the goals of its program's tasks and its scenario's outcomes are so, once it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from hetwin_core.ensemble.conductor.reporting.concerns import (
    Concern,
    Severity,
    verdict_of,
    worst_first,
)
from hetwin_core.ensemble.conductor.reporting.coverage import Claim, CoverageRow
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.expression import terms_in
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.ensemble.state_words import predicate_words
from hetwin_core.ensemble.tasks import Status
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.flaws.goals import Goals
from hetwin_core.episodes.log_writer import RunLog
from hetwin_core.episodes.tables.open import Follower
from hetwin_core.episodes.tables.tables import Tables

GOAL_MISSED, OUTCOME_MISSED = "goal_missed", "outcome_missed"
"""Concerns: a task is done and its goal is not so; an outcome has not come about."""
_STATE = "the twin's state"
_PLACES = ("held", "in_container", "on", "connected")
"""Fluents that say where an object is instead."""

Row = Mapping[str, Json]


class _Found(NamedTuple):
    """One goal or outcome: its row, and the concern if it is not so."""

    row: CoverageRow
    concern: Concern | None = None


class RunJudge(RunListener):
    """Judges what a run was for when it is over, for the summary that all listeners hear.

    Args:
        log: of the run; it is finished before it is read.
    """

    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._given: Mapping[str, Any] = {}

    def started(self, start: RunStart) -> None:
        """Keep what the run was given."""
        self._given = start.given

    def judged(self, summary: RunSummary) -> RunSummary:
        """The summary with what `judged_run` adds.

        Raises:
            RunFailed: if the disk cannot be written to.
        """
        if summary.error is None:
            self._log.close()
        return judged_run(summary, lambda: Follower(self._log.out).poll(), self._given)


def judged_run(
    summary: RunSummary, read: Callable[[], Tables], given: Mapping[str, Any]
) -> RunSummary:
    """The summary of a run, with what its tasks' goals and its outcomes add to coverage, concerns and verdict.

    Args:
        summary: of the run, as its observers have it.
        read: returns the tables of its episode, which is over.
        given: what the run was given; ``scenario`` and ``duration`` are read.
    """
    outcomes: Mapping[str, str] = (given.get("scenario") or {}).get("outcomes") or {}
    has_goals = any(_is_done_goal(event) for event in summary.events)
    if not outcomes and not has_goals:
        return summary
    why = {"failed": say("coverage.run_failed"), "stopped": say("coverage.run_stopped")}
    found = [
        _Found(CoverageRow(Claim.OUTCOME, name, False, why=why.get(summary.verdict, "")))
        for name in outcomes
    ]
    if summary.verdict not in why:
        try:
            asked = AskedTables(read())
        except BadInput as error:
            found = [_Found(replace(one.row, why=error.problem)) for one in found]
        else:
            end_ns = round(summary.simulated_time * 1e9)
            judge = _Judge(asked, end_ns, is_cut=given.get("duration") is not None)
            found = [*judge.goals(), *(judge.outcome(*one) for one in outcomes.items())]
    return _with(summary, found)


def _is_done_goal(event: Row) -> bool:
    said = event.get("arguments")
    return isinstance(said, dict) and said.get("status") == Status.DONE and bool(said.get("goal"))


def _with(summary: RunSummary, found: list[_Found]) -> RunSummary:
    rows = {(row["claim"], row["subject"]): row for row in summary.coverage}
    rows |= {(one.row.claim.value, one.row.subject): one.row.row() for one in found}
    added = [one.concern.row() for one in found if one.concern is not None]
    concerns = sorted((*summary.concerns, *added), key=worst_first)
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


class _Judge:
    """Judges an episode that is over.

    Args:
        asked: its tables.
        end_ns: when the run ended.
        is_cut: whether its end was chosen, so that an outcome may still have come about later.
    """

    def __init__(self, asked: AskedTables, end_ns: int, *, is_cut: bool) -> None:
        self._asked, self._end_ns, self._is_cut = asked, end_ns, is_cut
        self._facts = Facts(asked.tables, asked.expectations)

    def goals(self) -> Iterator[_Found]:
        """The goals of the tasks that are done; of a task within another one that has a goal, that one's counts."""
        for task, truth in Goals(self._facts, self._asked, []).truths():
            above = [one for one in self._facts.named.lineage(task) if one.id != task.id]
            if truth is None or any(one.goal for one in above):
                continue
            done_ns = task.span.to_ns
            sources = ("the robot's program", _STATE)
            spans = ((task.span.from_ns, done_ns),)
            row = CoverageRow(Claim.TASK, task.id, True, truth, sources, spans=spans, matters=False)
            said = {"task": task.id, "goal": task.goal}
            yield _Found(
                row, None if truth else self._missed(GOAL_MISSED, said, task.goal, done_ns)
            )

    def outcome(self, name: str, question: str) -> _Found:
        """One outcome of the scenario."""
        row = CoverageRow(Claim.OUTCOME, name, False, sources=(_STATE,))
        try:
            value = self._asked.ask(question).value
        except BadInput as error:
            named = "" if error.found is None else f" {error.found!r}"
            return _Found(replace(row, why=say("coverage.not_asked", reason=error.problem + named)))
        if not isinstance(value, bool):
            return _Found(replace(row, why=say("coverage.not_shown")))
        if self._is_cut and not value:
            return _Found(replace(row, why=say("coverage.may_come", time=self._end_ns / 1e9)))
        spans = ((0, self._end_ns),)
        row = replace(row, checked=True, holds=value, spans=spans, matters=False)
        said = {"outcome": name, "question": question}
        missed = self._missed(OUTCOME_MISSED, said, question, self._end_ns)
        return _Found(row, None if value else missed)

    def _missed(self, name: str, said: Mapping[str, Json], text: str, time_ns: int) -> Concern:
        arguments = {**said, "instead": self._instead(text, time_ns)}
        return Concern(name, Severity.WARNING, time_ns, time_ns, arguments, 1)

    def _instead(self, text: str, time_ns: int) -> str | None:
        """Where the first entity that a goal names is at a time, in words; None if that is not known."""
        named = [entity for term in terms_in(text) for entity in term.entities]
        if not named:
            return None
        name, at_ns = named[0], min(time_ns, self._asked.tables.known_until_ns - 1)
        rows = [r for fluent in _PLACES for r in self._facts.at(fluent, name, at_ns) if r.a == name]
        return (
            " and ".join(predicate_words(f"{r.fluent}({r.a}, {r.b})", True) for r in rows) or None
        )
