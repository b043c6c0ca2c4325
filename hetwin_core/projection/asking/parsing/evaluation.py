"""Evaluates expressions whose functions take and return terms and times, which the expression language does not know.

Calls of these functions, and what decides whether they are called, are evaluated here; all else by the language's
library.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import EvaluationError, Expression
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Items,
    Literal,
    Loop,
    Name,
    Node,
    Unary,
    names_of,
    parts_of,
    walk,
)
from hetwin_core.projection.asking.answer import NotKnown
from hetwin_core.projection.asking.parsing.made import check_value
from hetwin_core.projection.asking.parsing.usage import USAGE

AND, OR, NOT, STATE = "&&", "||", "!", "state"
"""Functions of formulas: they join terms, and make one of a condition on the state."""


class Scope(NamedTuple):
    """What an expression is evaluated with.

    Attributes:
        variables: by name.
        functions: by name; those of formulas among them.
    """

    variables: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]]


Step: TypeAlias = Callable[[Scope], Any]


class Evaluation:
    """Makes steps of expressions, which are then evaluated any number of times.

    Args:
        text: of the expression.
        functions: names of those that take or return terms or times.
        formulas: names of those of them whose first argument is a formula: a term, or a condition on the state.
        evaluators: names of the functions of the state.
    """

    def __init__(
        self,
        text: str,
        functions: Collection[str],
        formulas: Collection[str],
        evaluators: Collection[str],
    ) -> None:
        self._text = text
        self._functions = functions
        self._formulas = formulas
        self._evaluators = evaluators

    # ------------------------------------------------------------------ formulas

    def formula(self, node: Node) -> Step:
        """Return a step that makes a term; one that returns another value if the expression has one.

        Raises:
            BadInput: if a function of the state stands where there is none.
        """
        match node:
            case Binary("&&" | "||" as sign, one, two):
                steps = [self.formula(one), self.formula(two)]
                return lambda scope: scope.functions[sign](*(step(scope) for step in steps))
            case Unary("!", of):
                negated = self.formula(of)
                return lambda scope: scope.functions[NOT](negated(scope))
        if not any(isinstance(part, Call) and part.name in self._evaluators for part in walk(node)):
            return self.step(node)
        names, text = sorted({*names_of(node)}), self._text[node.begin : node.end]
        return lambda scope: scope.functions[STATE](text, {n: scope.variables[n] for n in names})

    # ------------------------------------------------------------------ values

    def step(self, node: Node) -> Step:
        """Return a step that returns the value of an expression.

        Raises:
            BadInput: if a function of the state stands where there is none.
        """
        return self._own(node) or self._of_the_library(node)

    def _own(self, node: Node) -> Step | None:
        """The step of an expression that is evaluated here; None for any other."""
        match node:
            case Literal(value) if type(value) in (str, float, bool):
                return lambda _: value
            case Name(name):
                return lambda scope: scope.variables[name]
            case Call(name, arguments) if name in self._functions:
                return self._call(name, arguments)
        if not self._is_own(node):
            return None
        match node:
            case Binary("&&" | "||" as sign, one, two):
                return _joined(self.step(one), self.step(two), decides=sign == OR)
            case Choice():
                condition, yes, no = map(self.step, parts_of(node))
                return lambda s: (yes if _truth(condition(s)) else no)(s)
            case Items(items):
                steps = [self.step(item) for item in items]
                return lambda scope: [step(scope) for step in steps]
            case Entries(entries):
                pairs = [(self.step(key), self.step(value)) for key, value in entries]
                return lambda scope: {key(scope): value(scope) for key, value in pairs}
            case Loop(each=each) if any(map(self._is_own, each)):
                return self._loop(node)
        return None

    def _is_own(self, node: Node) -> bool:
        """Whether a function of terms or times is called somewhere in an expression."""
        return any(
            (isinstance(part, Call) and part.name in self._functions) or part == Name("any")
            for part in walk(node)
        )

    def _call(self, name: str, arguments: tuple[Node, ...]) -> Step:
        steps = [
            self.formula(node) if number == 0 and name in self._formulas else self.step(node)
            for number, node in enumerate(arguments)
        ]

        def call(scope: Scope) -> Any:
            function, given = scope.functions[name], [step(scope) for step in steps]
            try:
                return function(*given)
            except TypeError:
                _check_arguments(name, function, given)
                raise

        return call

    def _loop(self, node: Loop) -> Step:
        of, variable = self.step(node.of), node.variable
        *conditions, last = map(self.step, node.each)

        def values(scope: Scope) -> Iterator[tuple[Any, Any]]:
            """Items, each with the value of what is said of it."""
            for item in of(scope):
                inner = Scope({**scope.variables, variable: item}, scope.functions)
                if all(_truth(condition(inner)) for condition in conditions):
                    yield item, last(inner)

        match node.macro:
            case "map":
                return lambda scope: [value for _, value in values(scope)]
            case "filter":
                return lambda scope: [item for item, value in values(scope) if _truth(value)]
            case "all":
                return lambda scope: all(_truth(value) for _, value in values(scope))
            case "exists":
                return lambda scope: any(_truth(value) for _, value in values(scope))
        return lambda scope: sum(_truth(value) for _, value in values(scope)) == 1

    # ------------------------------------------------------------------ the library

    def _of_the_library(self, node: Node) -> Step:
        """The step of an expression in which what is evaluated here becomes a variable."""
        own: list[tuple[str, Step]] = []
        text = self._with_variables(node, own)
        expression = Expression(text)

        def value(scope: Scope) -> Any:
            known = scope.variables.keys() & expression.variables
            given = {name: scope.variables[name] for name in known}
            given |= {name: step(scope) for name, step in own}
            for each in given.values():
                check_value(each)
            return expression.evaluate(given, {})

        return value

    def _with_variables(self, node: Node, own: list[tuple[str, Step]]) -> str:
        """The text of an expression with a variable in place of each part that is evaluated here."""
        if isinstance(node, Call) and node.name in self._evaluators:
            self._refuse(node.name)
        text, shift = self._text[node.begin : node.end], node.begin
        for part in reversed(parts_of(node)):
            step = self._own(part) if self._is_own(part) else None
            if step is None:
                instead = self._with_variables(part, own)
            else:
                instead = f"own_{len(own)}_"
                own.append((instead, step))
            text = text[: part.begin - shift] + instead + text[part.end - shift :]
        return text

    def _refuse(self, name: str) -> NoReturn:
        raise BadInput(
            f"{name} is about the state, which needs a time",
            found=self._text,
            expected=f"holds({name}(...) > 0.9, at(...)) or value({name}(...), at(...))",
        )


def _truth(value: object) -> bool:
    if isinstance(value, bool):
        return value
    check_value(value)
    raise EvaluationError(f"{value!r} is neither true nor false")


def _joined(one: Step, two: Step, *, decides: bool) -> Step:
    """The step of ``&&`` or ``||``: each side decides alone where the other one has no value."""

    def value(scope: Scope) -> bool:
        try:
            if _truth(one(scope)) is decides:
                return decides
        except NotKnown as unknown:
            return _decided(two, scope, decides, unknown)
        except EvaluationError as error:
            return _decided(two, scope, decides, error)
        return _truth(two(scope))

    return value


def _decided(two: Step, scope: Scope, decides: bool, error: Exception) -> bool:
    """What the second side decides alone.

    Raises:
        NotKnown, EvaluationError: that of the first side, if the second one does not decide.
    """
    try:
        if _truth(two(scope)) is decides:
            return decides
    except NotKnown as unknown:
        if isinstance(error, NotKnown) and str(error) != str(unknown):
            raise NotKnown(f"{error}; {unknown}") from None
    except EvaluationError:
        pass
    raise error


def _check_arguments(name: str, function: Callable[..., Any], given: list[Any]) -> None:
    """See that a call has as many arguments as its function.

    Raises:
        BadInput: if not.
    """
    try:
        inspect.signature(function).bind(*given)
    except TypeError:
        count = f"{len(given)} argument{'' if len(given) == 1 else 's'}"
        raise BadInput(
            "these are not its arguments", where=name, found=count, expected=USAGE[name]
        ) from None
