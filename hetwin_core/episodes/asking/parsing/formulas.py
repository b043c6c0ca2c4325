"""Evaluates questions and goals, whose functions take and return terms and times."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import Step, Steps
from hetwin_core.ensemble.expressions.nodes import Binary, Call, Node, Unary, names_of, walk
from hetwin_core.episodes.asking.parsing.made import check_value
from hetwin_core.episodes.asking.parsing.usage import USAGE

AND, OR, NOT, STATE = "&&", "||", "!", "state"
"""Functions of formulas: they join terms, and make one of a condition on the state."""
OF_FORMULAS = ("holds", "believed", "incorrect_belief", "value", "count")
"""Functions whose first argument may be a formula: a term, or a condition on the state."""


class Formulas(Steps):
    """Makes steps of a question or a goal.

    Args:
        text: of it.
        functions: names of those that it may call at any place.
        evaluators: names of the functions of the state, which stand in formulas alone.
    """

    def __init__(self, text: str, functions: Collection[str], evaluators: Collection[str]) -> None:
        super().__init__(text)
        self._functions = functions
        self._evaluators = evaluators

    def formula(self, node: Node) -> Step:
        """Return a step that makes a term; one that returns another value if the expression has one."""
        match node:
            case Binary("&&" | "||" as sign, one, two):
                steps = [self.formula(one), self.formula(two)]
                return lambda scope: scope.functions[sign](*(step(scope) for step in steps))
            case Unary("!", of):
                negated = self.formula(of)
                return lambda scope: scope.functions[NOT](negated(scope))
        if not any(isinstance(part, Call) and part.name in self._evaluators for part in walk(node)):
            return self.step(node)
        names, text = {*names_of(node)}, self.text[node.begin : node.end]
        return lambda scope: scope.functions[STATE](text, {n: scope.variables[n] for n in names})

    def argument(self, call: Call, number: int) -> Step:
        """Return the step of an argument of a function, which may take a formula."""
        if number == 0 and call.name in OF_FORMULAS:
            return self.formula(call.arguments[0])
        return super().argument(call, number)

    def check_value(self, value: object) -> None:
        """See that a value is no term and no time.

        Raises:
            BadInput: if it is one.
        """
        check_value(value)

    def call(self, call: Call) -> Step:
        """Return the step of a call.

        Raises:
            BadInput: if a function of the state stands outside of a formula.
        """
        name = call.name
        if name in self._evaluators and name not in self._functions:
            raise BadInput(
                f"{name} is about the state, which needs a time",
                found=self.text,
                expected=f"holds({name}(...) > 0.9, at(...)) or value({name}(...), at(...))",
            )
        return super().call(call)

    def failed(
        self, name: str, function: Callable[..., Any], given: Sequence[Any], error: Exception
    ) -> Exception:
        """Return what is raised when a function has raised an error, which may be that of its call."""
        try:
            inspect.signature(function).bind(*given)
        except TypeError:
            count = f"{len(given)} argument{'' if len(given) == 1 else 's'}"
            problem = "these are not its arguments"
            return BadInput(problem, where=name, found=count, expected=USAGE[name])
        return super().failed(name, function, given, error)
