"""Expressions, which are checked with the scenario and evaluated by triggers; terms, and patterns of events."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.evaluation import (
    EvaluationError,
    Step,
    StepCompiler,
    compile_text,
    evaluate,
    first_line,
)
from hetwin_core.ensemble.expressions.nodes import (
    Call,
    Entries,
    Literal,
    Member,
    Name,
    Node,
    conjuncts,
    names_of,
    parts_of,
    text_of,
    walk,
)
from hetwin_core.ensemble.expressions.parser import ExpressionSyntaxError, parse
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
        where: key of the expression, for errors.

    Attributes:
        unchanging: it is not part of a model's saved state.
        node: root of its syntax tree.
        variables: names of its variables.
        functions: names of the functions and methods that it calls.

    Raises:
        BadInput: if the syntax is wrong.
    """

    unchanging: ClassVar[bool] = True

    def __init__(self, text: str, where: str = "") -> None:
        self.text = text
        self.where = where
        try:
            self.node = parse(text)
            compile_text(text)
        except ValueError as error:
            raise BadInput(
                f"the expression has a syntax error: {first_line(error)}",
                where=where,
                found=text,
                expected="an expression in CEL, e.g. hand_free(hand) && object != null",
            ) from None
        self.variables = frozenset(names_of(self.node))
        calls = [part for part in walk(self.node) if isinstance(part, Call)]
        self.functions = frozenset(c.name for c in calls if not _tests_field(c))

    @cached_property
    def parts(self) -> tuple[Expression, ...]:
        """Operands of the expression's outermost ``&&``; the expression itself without one."""
        parts = conjuncts(self.node)
        if len(parts) == 1:
            return (self,)
        return tuple(Expression(self.text[part.begin : part.end], self.where) for part in parts)

    def check_names(self, functions: Collection[str], variables: Collection[str]) -> None:
        """Check that every function and variable is known.

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

    def prepare(self) -> None:
        """Prepare the evaluation, which the first call of `evaluate` does otherwise."""
        _ = self._step

    def evaluate(
        self, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
    ) -> Any:
        """The expression's value as a Python value.

        Raises:
            EvaluationError: if it has no value, e.g. because a key is missing; the text has the reason.
        """
        try:
            return evaluate(self._step, variables, functions)
        except EvaluationError as error:
            error.text = self.text
            raise

    @cached_property
    def _step(self) -> Step:
        return StepCompiler(self.text).step(self.node)


def _tests_field(call: Call) -> bool:
    """Whether a call is ``has(a.b)``, CEL's test for a field, which is not a function."""
    return call.name == "has" and len(call.arguments) == 1 and isinstance(call.arguments[0], Member)


class NamedTerm(NamedTuple):
    """A fluent or an event in a text.

    Attributes:
        name: e.g. ``on``.
        entities: the texts among its arguments, e.g. ``("box", "tray")``.
    """

    name: str
    entities: tuple[str, ...]


@lru_cache(4096)
def terms_in(text: str) -> tuple[NamedTerm, ...]:
    """Return the terms in a text, from left to right; empty if the text is not an expression."""
    try:
        node = parse(text)
    except ExpressionSyntaxError:
        return ()
    calls = [part for part in walk(node) if isinstance(part, Call) and part.of is None]
    return tuple(NamedTerm(call.name, tuple(_texts(*call.arguments))) for call in calls)


def _texts(*nodes: Node) -> Iterator[str]:
    """Texts in arguments, without those of terms in them and without the keys of maps."""
    for node in nodes:
        match node:
            case Literal(str() as text):
                yield text
            case Call():
                pass
            case Entries(entries):
                yield from _texts(*(value for _, value in entries))
            case _:
                yield from _texts(*parts_of(node))


ANY = "any"
"""Matches any argument."""


ArgumentPattern: TypeAlias = "Literal | Name"
"""A name of an entity or a pattern such as ``cup*``; or `ANY`, or a variable of the task, e.g. ``hand``."""


class EventPattern(NamedTuple):
    """A pattern of events.

    Attributes:
        name: name of the event.
        arguments: required arguments, in their order; None: any.
    """

    name: str
    arguments: tuple[ArgumentPattern, ...] | None = None

    @classmethod
    def from_text(cls, text: str) -> EventPattern:
        """Read a pattern from a text.

        Raises:
            ValueError: if the text is not a pattern; the message explains the syntax.
        """
        found = "no event"
        try:
            match parse(text):
                case Name(name):
                    return cls(name)
                case Call(name, arguments, None):
                    return cls(name, tuple(_argument(argument) for argument in arguments))
        except ExpressionSyntaxError as error:
            found = str(error)
        raise ValueError(
            "an event such as collision(hand, object): its name, and entities in quotes, variables of the task"
            f" or any; {found}"
        )


def _argument(node: Node) -> ArgumentPattern:
    match node:
        case Name() | Literal(str()) if node != Literal(""):
            return node
    raise ValueError(
        'an entity in quotes such as "cup", a variable of the task such as object, or any, not '
        + text_of(node)
    )
