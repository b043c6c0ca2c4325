"""One expression: checked when a scenario is read, evaluated when a trigger asks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.expressions.nodes import Name, conjuncts, functions_of, names_of
from hetwin_core.ensemble.expressions.parser import parse
from hetwin_core.ensemble.nearest import one_of

_STANDARD = (
    "all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth"
    " getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int"
    " map matches max min size startsWith string timestamp type uint"
)
STANDARD_FUNCTIONS = frozenset(_STANDARD.split())
# what fails in an expression is raised once, not written to the terminal by the library as well
logging.getLogger("cel").addHandler(logging.NullHandler())


class EvaluationError(Exception):
    """An expression could not be evaluated.

    Args:
        reason: why.
        text: of the expression.
    """

    def __init__(self, reason: str, text: str = "") -> None:
        super().__init__(f"{text}: {reason}" if text else reason)
        self.reason = reason


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
        is_name: whether it is a variable and nothing else.

    Raises:
        BadInput: if the syntax is wrong.
    """

    unchanging: ClassVar[bool] = True

    def __init__(self, text: str, where: str = "") -> None:
        self.text = text
        self.where = where
        try:
            self.node = parse(text)
            self._program = _compiled(text)
        except ValueError as error:
            raise BadInput(
                f"the expression has a syntax error: {_first_line(error)}",
                where=where,
                found=text,
                expected="an expression in CEL, e.g. hand_free(hand) && object != null",
            ) from None
        self.variables = frozenset(names_of(self.node))
        self.is_name = isinstance(self.node, Name)
        self.functions = frozenset(functions_of(self.node))

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
        context = cel.Context(variables=dict(variables), functions=dict(functions))
        try:
            return self._program.execute(context)
        except KeyError as error:
            raise EvaluationError(f"there is no {error.args[0]!r}", self.text) from None
        except Exception as error:
            raise EvaluationError(_first_line(error), self.text) from error


@lru_cache(1024)
def _compiled(text: str) -> Any:
    """What the library makes of a text; it does not change, and many episodes are asked the same."""
    return cel.compile(text)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0].removeprefix("Failed to parse expression ") if text else repr(error)
