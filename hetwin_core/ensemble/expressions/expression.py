"""One expression: checked when a scenario is read, evaluated when a trigger asks."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.conjuncts import conjuncts
from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.nearest import one_of

_STANDARD = (
    "all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth"
    " getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int"
    " map matches max min size startsWith string timestamp type uint"
)
STANDARD_FUNCTIONS = frozenset(_STANDARD.split())
# what fails in an expression is raised once, not written to the terminal by the library as well
logging.getLogger("cel").addHandler(logging.NullHandler())
_COMPREHENSION = re.compile(r"\.(?:all|exists|exists_one|filter|map)\(\s*([A-Za-z_]\w*)\s*,")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")


class EvaluationError(Exception):
    """An expression could not be evaluated."""


class Expression:
    """A compiled CEL expression.

    Args:
        text: the expression, e.g. ``hand_free(hand) && object != null``.
        where: the key that it stands at, for errors.

    Attributes:
        unchanging: it is no part of a model's saved state.

    Raises:
        BadInput: if the syntax is wrong.
    """

    unchanging: ClassVar[bool] = True

    def __init__(self, text: str, where: str = "") -> None:
        self.text = text
        self.where = where
        try:
            self._program = _compiled(text)
        except ValueError as error:
            raise BadInput(
                f"the expression has a syntax error: {_first_line(error)}",
                where=where,
                found=text,
                expected="an expression in CEL, e.g. hand_free(hand) && object != null",
            ) from None
        bound = set(_COMPREHENSION.findall(text))
        self.variables = frozenset(self._program.variables()) - bound
        self.is_name = text in self.variables
        self.functions = frozenset(n for n in self._program.functions() if _NAME.match(n))

    @cached_property
    def parts(self) -> tuple[Expression, ...]:
        """Expressions that are all true if and only if this one is; itself if it is no conjunction."""
        texts = conjuncts(self.text)
        return (self,) if len(texts) == 1 else tuple(Expression(t, self.where) for t in texts)

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
            raise EvaluationError(f"{self.text}: there is no {error.args[0]!r}") from None
        except Exception as error:
            raise EvaluationError(f"{self.text}: {_first_line(error)}") from error


@lru_cache(1024)
def _compiled(text: str) -> Any:
    """What the library makes of a text; it does not change, and many episodes are asked the same."""
    return cel.compile(text)


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0].removeprefix("Failed to parse expression ") if text else repr(error)
