"""One expression: checked when a scenario is read, evaluated when a trigger asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import (
    EvaluationError,
    Step,
    Steps,
    compiled,
    evaluated,
    first_line,
)
from hetwin_core.ensemble.expressions.nodes import Call, Member, conjuncts, names_of, walk
from hetwin_core.ensemble.expressions.parser import parse
from hetwin_core.ensemble.nearest import one_of

_STANDARD = (
    "all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth"
    " getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int"
    " map matches max min size startsWith string timestamp type uint"
)
STANDARD_FUNCTIONS = frozenset(_STANDARD.split())


class Expression:
    """A compiled CEL expression.

    Args:
        text: the expression, e.g. ``hand_free(hand) && object != null``.
        where: the key that it stands at, for errors.

    Attributes:
        unchanging: it is no part of a model's saved state.
        node: what it is made of.
        variables: names of those that it needs.
        functions: names of those that it calls, methods among them.

    Raises:
        BadInput: if the syntax is wrong.
    """

    unchanging: ClassVar[bool] = True

    def __init__(self, text: str, where: str = "") -> None:
        self.text = text
        self.where = where
        try:
            self.node = parse(text)
            compiled(text)
        except ValueError as error:
            raise BadInput(
                f"the expression has a syntax error: {first_line(error)}",
                where=where,
                found=text,
                expected="an expression in CEL, e.g. hand_free(hand) && object != null",
            ) from None
        self.variables = frozenset(names_of(self.node))
        calls = [part for part in walk(self.node) if isinstance(part, Call)]
        self.functions = frozenset(c.name for c in calls if not _is_of_a_field(c))

    @cached_property
    def parts(self) -> tuple[Expression, ...]:
        """Expressions that are all true if and only if this one is; itself if it is no conjunction."""
        parts = conjuncts(self.node)
        if len(parts) == 1:
            return (self,)
        return tuple(Expression(self.text[part.begin : part.end], self.where) for part in parts)

    def check_names(self, functions: Collection[str], variables: Collection[str]) -> None:
        """See that every function and variable is known.

        Raises:
            BadInput: if one is not; the known ones are named.
        """
        for name in sorted(self.functions - STANDARD_FUNCTIONS - set(functions)):
            raise BadInput(
                f"unknown evaluator {name!r} in an expression",
                where=self.where,
                found=self.text,
                expected=one_of(name, sorted(functions)),
            )
        for name in sorted(self.variables - set(variables)):
            raise BadInput(
                f"unknown variable {name!r} in an expression",
                where=self.where,
                found=self.text,
                expected=one_of(name, sorted(variables)),
            )

    def evaluate(
        self, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
    ) -> Any:
        """The expression's value as a Python value.

        Raises:
            EvaluationError: if it has none, e.g. because a key is missing; the text says why.
        """
        try:
            return evaluated(self._step, variables, functions)
        except EvaluationError as error:
            error.text = self.text
            raise

    @cached_property
    def _step(self) -> Step:
        return Steps(self.text).step(self.node)


def _is_of_a_field(call: Call) -> bool:
    """Whether a call is ``has(a.b)``, which is no function."""
    return call.name == "has" and len(call.arguments) == 1 and isinstance(call.arguments[0], Member)
