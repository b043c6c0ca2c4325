"""Asks an episode a question that is an expression in CEL."""

from __future__ import annotations

import inspect
import time
from functools import lru_cache
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import (
    STANDARD_FUNCTIONS,
    EvaluationError,
    Expression,
)
from hetwin_core.ensemble.nearest import one_of, perhaps
from hetwin_core.projection.asking.answer import NotKnown
from hetwin_core.projection.asking.expressions.answered import Answered
from hetwin_core.projection.asking.expressions.functions import Functions
from hetwin_core.projection.asking.expressions.maps import shown
from hetwin_core.projection.asking.expressions.usage import USAGE
from hetwin_core.projection.asking.parsing.formulas import Formulas
from hetwin_core.projection.asking.parsing.handles import any_handle
from hetwin_core.projection.asking.questions import Questions
from hetwin_core.projection.asking.vocabulary import SUPPORTING

OF_FORMULAS = ("holds", "believed", "incorrect_belief", "value", "count")
"""Functions whose first argument may be a formula."""


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
        self._known: dict[str, Expression] = {}

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
        expression = self._compiled(question, functions)
        causes: list[Exception] = []
        tables = self._questions.tables
        variables = {
            "any": any_handle(),
            "start": tables.start_ns / 1e9,
            "end": tables.known_until_ns / 1e9,
        }
        noted = {name: _noting(name, f, causes) for name, f in functions.functions.items()}
        try:
            value = expression.evaluate(variables, noted)
        except EvaluationError as error:
            _see_why(error, causes, question, functions)
            value = None
        unknown = dict.fromkeys(str(cause) for cause in causes if isinstance(cause, NotKnown))
        wrong = next((cause for cause in causes if not isinstance(cause, NotKnown)), None)
        if wrong is not None:
            raise wrong
        if functions.is_handle(value):
            raise _no_truth(question, functions)
        return value, "; ".join(unknown) if value is None else ""

    def _compiled(self, question: str, functions: Functions) -> Expression:
        if question not in self._known:
            written = Expression(question)
            self._check(written, functions)
            self._known[question] = Expression(_rewritten(question, self._evaluators))
        expression = self._known[question]
        for name in sorted(expression.functions & self._evaluators - set(functions.functions)):
            raise BadInput(
                f"{name} is about the state, which needs a time",
                found=question,
                expected=f"holds({name}(...) > 0.9, at(...)) or value({name}(...), at(...))",
            )
        return expression

    def _check(self, written: Expression, functions: Functions) -> None:
        """See that every name is known."""
        known = {*functions.functions, *self._evaluators}
        for name in sorted(written.functions - STANDARD_FUNCTIONS - known):
            asked = sorted(name for name in known if not name.endswith("_"))
            raise BadInput(
                f"unknown fluent, event or function {name!r}",
                found=written.text,
                expected=f"one that docs/asking.md lists or the episode knows{perhaps(name, asked)}",
            )
        for name in sorted(written.variables - {"any", "start", "end"}):
            expected = one_of(name, ("any", "start", "end"), "a name in quotes")
            raise BadInput(f"unknown name {name!r}", found=written.text, expected=expected)


@lru_cache(1024)
def _rewritten(question: str, evaluators: frozenset[str]) -> str:
    """Return a question with its formulas as calls; many episodes are asked the same."""
    return Formulas(OF_FORMULAS, evaluators).rewritten(question)


def _placed(error: BadInput, question: str, where: str) -> BadInput:
    """Return an error with the place of its question, which is the question itself unless it stands in a file."""
    place = ": ".join(part for part in (where or question, error.where) if part)
    found = None if error.found == question and not where else error.found
    return BadInput(error.problem, where=place, found=found, expected=error.expected)


def _noting(name: str, function: Any, causes: list[Exception]) -> Any:
    """Return a function that keeps what it raises, of which the library reports too little."""

    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except TypeError as error:
            causes.append(_misused(name, function, arguments) or error)
            raise
        except Exception as error:
            causes.append(error)
            raise

    return call


def _misused(name: str, function: Any, arguments: tuple[Any, ...]) -> BadInput | None:
    """Return the error of a call with too many or too few arguments; None if these fit."""
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        count = f"{len(arguments)} argument{'' if len(arguments) == 1 else 's'}"
        return BadInput(
            "these are not its arguments", where=name, found=count, expected=USAGE[name]
        )
    return None


def _see_why(
    error: EvaluationError, causes: list[Exception], question: str, functions: Functions
) -> None:
    """See why a question has no value: because something is not known, or for what is raised later as it was.

    Raises:
        BadInput: if there is another reason.
    """
    if any(isinstance(cause, NotKnown) for cause in causes) and "NotKnown" in str(error):
        return
    if causes and not isinstance(causes[-1], NotKnown):
        return  # which is raised as it was
    if "overload" in str(error) and functions.unasked() is not None:
        raise _no_truth(question, functions)
    reason = str(error).removeprefix(f"{question}: ")
    raise BadInput(
        f"the question has no value: {reason}", found=question, expected="see docs/asking.md"
    )


def _no_truth(question: str, functions: Functions) -> BadInput:
    term = functions.unasked() or "on(...)"
    return BadInput(
        "a fluent is neither true nor false by itself",
        found=question,
        expected=f"holds({term}, at(...)), or during or throughout in place of at",
    )
