"""Evaluates the purpose of a run from the tables of its episode: the goals of its tasks, and its outcomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from hetwin_core.ensemble.conductor.reporting.concerns import Concern, Severity
from hetwin_core.ensemble.conductor.reporting.coverage import Claim, CoverageRow
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.expression import terms_in
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.ensemble.state_words import predicate_words
from hetwin_core.episodes.asking.asked import AskedTables
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.flaws.goals import Goals

GOAL_MISSED, OUTCOME_MISSED = "goal_missed", "outcome_missed"
"""Concerns: the goal of a successful task does not hold; an outcome was not achieved."""
_STATE = "the twin's state"
_LOCATION_FLUENTS = ("held", "in_container", "on", "connected")
"""Fluents that give the actual location of an object."""


class Judgement(NamedTuple):
    """An evaluated goal or outcome: its row, and a concern if it does not hold."""

    row: CoverageRow
    concern: Concern | None = None


class Judge:
    """Evaluates a finished episode.

    Args:
        questions: its tables.
        end_ns: end of the run.
        is_cut: whether the user limited the run's duration, so that an outcome might have been achieved later.
    """

    def __init__(self, questions: AskedTables, end_ns: int, *, is_cut: bool) -> None:
        self._questions, self._end_ns, self._is_cut = questions, end_ns, is_cut
        self._facts = Facts(questions.tables, questions.expectations)

    def goals(self) -> Iterator[Judgement]:
        """The goals of successful tasks; a task within another task with a goal is skipped."""
        for task, truth in Goals(self._facts, self._questions, []).truths():
            above = [
                task_above
                for task_above in self._facts.named.lineage(task)
                if task_above.id != task.id
            ]
            if truth is None or any(task_above.goal for task_above in above):
                continue
            done_ns = task.span.to_ns
            sources = ("the robot's program", _STATE)
            spans = ((task.span.from_ns, done_ns),)
            row = CoverageRow(Claim.TASK, task.id, True, truth, sources, spans=spans, matters=False)
            task_arguments = {"task": task.id, "goal": task.goal}
            yield Judgement(
                row,
                None if truth else self._concern(GOAL_MISSED, task_arguments, task.goal, done_ns),
            )

    def outcome(self, name: str, question: str) -> Judgement:
        """One outcome of the scenario."""
        row = CoverageRow(Claim.OUTCOME, name, False, sources=(_STATE,))
        try:
            value = self._questions.ask(question).value
        except BadInput as error:
            named = "" if error.found is None else f" {error.found!r}"
            return Judgement(
                replace(row, why=say("coverage.not_asked", reason=error.problem + named))
            )
        if not isinstance(value, bool):
            return Judgement(replace(row, why=say("coverage.not_shown")))
        if self._is_cut and not value:
            return Judgement(replace(row, why=say("coverage.may_come", time=self._end_ns / 1e9)))
        spans = ((0, self._end_ns),)
        row = replace(row, checked=True, holds=value, spans=spans, matters=False)
        if value:
            return Judgement(row)
        given = {"outcome": name, "question": question}
        return Judgement(row, self._concern(OUTCOME_MISSED, given, question, self._end_ns))

    def _concern(self, name: str, given: Mapping[str, Json], text: str, time_ns: int) -> Concern:
        arguments = {**given, "instead": self._actual_location(text, time_ns)}
        return Concern(name, Severity.WARNING, time_ns, time_ns, arguments, 1)

    def _actual_location(self, text: str, time_ns: int) -> str | None:
        """The actual location of the first entity that a goal names, in words; None if unknown."""
        named = [entity for term in terms_in(text) for entity in term.entities]
        if not named:
            return None
        name, at_ns = named[0], min(time_ns, self._questions.tables.known_until_ns - 1)
        rows = [
            r
            for fluent in _LOCATION_FLUENTS
            for r in self._facts.at(fluent, name, at_ns)
            if r.a == name
        ]
        return (
            " and ".join(predicate_words(f"{r.fluent}({r.a}, {r.b})", True) for r in rows) or None
        )
