"""Reads the goals of tasks, which are terms in CEL."""

from __future__ import annotations

from collections.abc import Collection

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import Budget, EvaluationError, Scope
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.episodes.asking.parsing.formulas import Formulas
from hetwin_core.episodes.asking.parsing.term_functions import TermFunctions
from hetwin_core.episodes.asking.terms import ANY, Term
from hetwin_core.episodes.tables.rows import Task


class GoalReader:
    """Reads goals, each text once.

    Args:
        names: of fluents.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self._known: dict[str, Term] = {}

    def read(self, task: Task) -> Term:
        """Return the goal of a task.

        Raises:
            BadInput: if it has none, or it is no term.
        """
        if not task.goal:
            raise BadInput(
                "this task has no goal",
                where=task.id,
                expected='one whose goal is not empty: t.goal != ""',
            )
        if task.goal not in self._known:
            self._known[task.goal] = self._read(task.goal, f"goal of {task.id}")
        return self._known[task.goal]

    def _read(self, text: str, where: str) -> Term:
        expression, terms = Expression(text, where), TermFunctions(self._names)
        evaluators = all_evaluators()
        expression.check_names({*terms.functions, *evaluators}, ("any",))
        try:
            made = Formulas(text, terms.functions, evaluators).formula(expression.node)
            return terms.term(made(Scope({"any": ANY}, terms.functions, Budget())))
        except EvaluationError as error:
            raise BadInput(
                f"this is no goal: {error}", where=where, found=text, expected='on("box", "tray")'
            ) from None
