"""Questions to an episode, from Python and as expressions in CEL."""

from __future__ import annotations

import time
from functools import cached_property
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import EvaluationError, Step, evaluate
from hetwin_core.episodes.asking.answer import NotKnown, QuestionAnswer
from hetwin_core.episodes.asking.formulas import VARIABLES, check_value, compiled
from hetwin_core.episodes.asking.functions import Functions, shown
from hetwin_core.episodes.asking.names import SUPPORTING, VALUES
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.asking.terms import ANY
from hetwin_core.episodes.tables.tables import Tables


class AskableEpisode(Questions):
    """Questions to an episode, as terms and as expressions. A subclass provides the tables."""

    def ask(self, question: str, where: str = "") -> QuestionAnswer:
        """Return the answer to a question in CEL.

        Args:
            question: e.g. ``holds(on("box", "tray"), at(end))``.
            where: location of the question, for errors.

        Raises:
            BadInput: if its syntax, a name or a time is wrong; the error names a correct one.
        """
        started = time.perf_counter()
        functions = Functions(self, self._names)
        try:
            value, why = self._evaluate(question, functions)
        except BadInput as error:
            raise _with_location(error, question, where) from None
        support = functions.record.supporting(value)
        value_rows = functions.rows_of(value if isinstance(value, list) else [value])
        return QuestionAnswer(
            question,
            shown(value),
            support.intervals,
            support.bindings,
            value_rows or support.evidence,
            time.perf_counter() - started,
            why,
        )

    @cached_property
    def _steps(self) -> dict[str, Step]:
        """Compiled questions by their texts."""
        return {}

    @cached_property
    def _names(self) -> list[str]:
        words = self.vocabulary
        return sorted({*words.fluents, *words.events, *words.attributes, *VALUES, SUPPORTING})

    def _evaluate(self, question: str, functions: Functions) -> tuple[Any, str]:
        """Return the value of a question, None if unknown, and the reason in that case."""
        step = self._compile(question, functions)
        bounds = self.tables.start_ns / 1e9, self.tables.known_until_ns / 1e9
        variables = dict(zip(VARIABLES, (ANY, *bounds), strict=True))
        try:
            value = evaluate(step, variables, functions.functions)
        except NotKnown as unknown:
            return None, str(unknown)
        except EvaluationError as error:
            raise BadInput(
                f"the question has no value: {error.reason}",
                found=question,
                expected="see docs/asking.md",
            ) from None
        check_value(value)
        return value, ""

    def _compile(self, question: str, functions: Functions) -> Step:
        if question not in self._steps:
            self._steps[question] = compiled(question, functions.functions)
        return self._steps[question]


def _with_location(error: BadInput, question: str, where: str) -> BadInput:
    """Return an error with the location of its question: `where`, or else the question itself."""
    place = ": ".join(part for part in (where or question, error.where) if part)
    found = None if error.found == question and not where else error.found
    return BadInput(error.problem, where=place, found=found, expected=error.expected)


class AskedTables(AskableEpisode):
    """Questions to tables.

    Args:
        tables: the tables of an episode.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def tables(self) -> Tables:
        """The tables of the episode."""
        return self._tables
