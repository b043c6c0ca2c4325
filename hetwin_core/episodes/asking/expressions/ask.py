"""Asks an episode a question that is an expression in CEL."""

from __future__ import annotations

import time
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import Budget, EvaluationError, Scope, Step
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import STANDARD_FUNCTIONS, Expression
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.episodes.asking.answer import NotKnown
from hetwin_core.episodes.asking.expressions.answered import Answered
from hetwin_core.episodes.asking.expressions.functions import Functions
from hetwin_core.episodes.asking.expressions.maps import shown
from hetwin_core.episodes.asking.parsing.formulas import Formulas
from hetwin_core.episodes.asking.parsing.made import check_value
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.asking.terms import ANY
from hetwin_core.episodes.asking.vocabulary import SUPPORTING


class Asking:
    """Asks one episode any number of questions.

    Args:
        questions: to the episode.
    """

    def __init__(self, questions: Questions) -> None:
        self._questions = questions
        words = questions.vocabulary
        self._names = sorted({*words.fluents, *words.events, *words.attributes, SUPPORTING})
        self._evaluators = frozenset(all_evaluators()) - STANDARD_FUNCTIONS | {"exists"}
        self._known: dict[str, Step] = {}

    def ask(self, question: str, where: str = "") -> Answered:
        """Return the answer to a question.

        Args:
            question: e.g. ``holds(on("box", "tray"), at(end))``.
            where: the place that it stands at, for errors.

        Raises:
            BadInput: if it is wrong: its syntax, a name, a time; the error names what would be right.
        """
        begun = time.perf_counter()
        functions = Functions(self._questions, self._names)
        try:
            value, why = self._evaluated(question, functions)
        except BadInput as error:
            raise _placed(error, question, where) from None
        told = functions.record.telling(value)
        listed = value if isinstance(value, list) else [value]
        own = functions.rows_of(listed)
        return Answered(
            question,
            shown(value),
            told.intervals,
            told.bindings,
            own or told.evidence,
            time.perf_counter() - begun,
            why,
        )

    def _evaluated(self, question: str, functions: Functions) -> tuple[Any, str]:
        """Return the value of a question, None if it is not known, and then why."""
        step = self._compiled(question, functions)
        tables = self._questions.tables
        variables = {
            "any": ANY,
            "start": tables.start_ns / 1e9,
            "end": tables.known_until_ns / 1e9,
        }
        try:
            value = step(Scope(variables, functions.functions, Budget()))
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

    def _compiled(self, question: str, functions: Functions) -> Step:
        if question not in self._known:
            written = Expression(question)
            self._check(written, functions)
            steps = Formulas(question, functions.functions, self._evaluators)
            self._known[question] = steps.step(written.node)
        return self._known[question]

    def _check(self, written: Expression, functions: Functions) -> None:
        """See that every name is known."""
        known = {*functions.functions, *self._evaluators}
        for name in sorted(written.functions - STANDARD_FUNCTIONS - known):
            asked = sorted(filter(str.isidentifier, known))
            raise BadInput(
                f"unknown fluent, event or function {name!r}",
                found=written.text,
                expected=f"one that docs/asking.md lists or the episode knows{perhaps(name, asked)}",
            )
        for name in sorted(written.variables - {"any", "start", "end"}):
            expected = one_of(name, ("any", "start", "end"), "a name in quotes")
            raise BadInput(f"unknown name {name!r}", found=written.text, expected=expected)


def _placed(error: BadInput, question: str, where: str) -> BadInput:
    """Return an error with the place of its question, which is the question itself unless it stands in a file."""
    place = ": ".join(part for part in (where or question, error.where) if part)
    found = None if error.found == question and not where else error.found
    return BadInput(error.problem, where=place, found=found, expected=error.expected)
