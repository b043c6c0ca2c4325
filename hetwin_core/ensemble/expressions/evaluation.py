"""Evaluates expressions: calls and short-circuit operators here, everything else by the CEL library.

The library accepts only its own value types, and swallows exceptions of functions.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.language import cel
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Items,
    Literal,
    MacroCall,
    Member,
    Name,
    Node,
    Unary,
    parts_of,
)

_NAMES = "bytes double duration dyn int matches size string timestamp type uint"
_LIBRARY_FUNCTIONS = frozenset(_NAMES.split())
"""Functions that the library has."""
MAX_EVALUATIONS = 100_000
"""Maximum number of calls and loop iterations of one evaluation; about two seconds, and far more than a scene needs."""
_BLOCK_SIZE = 1_000
"""A computed text or list costs one more evaluation for each block of this many characters or items."""
# the library would write errors to the terminal, in addition to raising them
logging.getLogger("cel").addHandler(logging.NullHandler())


class EvaluationError(Exception):
    """An expression has no value.

    Attributes:
        reason: the reason in words.
        text: text of the expression; empty if unknown.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        self.text = ""

    def __str__(self) -> str:
        return f"{self.text}: {self.reason}" if self.text else self.reason


class Budget:
    """Remaining calls and loop iterations of one evaluation, so that every evaluation ends."""

    __slots__ = ("_remaining",)

    def __init__(self) -> None:
        self._remaining = MAX_EVALUATIONS

    def spend(self, count: int = 1) -> None:
        """Subtract some evaluations.

        Raises:
            EvaluationError: if the budget is exhausted.
        """
        self._remaining -= count
        if self._remaining < 0:
            raise EvaluationError(
                f"this takes more than {MAX_EVALUATIONS:,} calls and loop iterations"
            )


class Scope(NamedTuple):
    """The environment of an evaluation.

    Attributes:
        variables: values by name.
        functions: functions by name.
        budget: budget of the whole evaluation.
    """

    variables: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]]
    budget: Budget


Step: TypeAlias = Callable[[Scope], Any]
"""A compiled expression: returns its value in a scope."""


def evaluate(
    step: Step, variables: Mapping[str, Any], functions: Mapping[str, Callable[..., Any]]
) -> Any:
    """Return the value of an expression, in at most `MAX_EVALUATIONS` calls and loop iterations.

    Raises:
        EvaluationError: if it has no value, or takes more.
    """
    return step(Scope(variables, functions, Budget()))


@lru_cache(1024)
def compile_text(text: str) -> Any:
    """The library's compiled text; cached, because many episodes are searched with the same expression.

    Raises:
        ValueError: if it is not an expression.
    """
    return cel.compile(text)


class StepCompiler:
    """Compiles expressions to steps, which can be evaluated repeatedly.

    Args:
        text: text of the expression.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def step(self, node: Node) -> Step:
        """Return a step that returns the value of an expression, or raises EvaluationError."""
        return self._own_step(node) or self._library_step(node)

    def check_value(self, value: object) -> None:
        """Hook for subclasses: raise an error for values that the library must not get, which accepts any type."""

    def argument(self, call: Call, number: int) -> Step:
        """Return the step of an argument of a function."""
        return self.step(call.arguments[number])

    def failed(
        self, name: str, function: Callable[..., Any], arguments: Sequence[Any], error: Exception
    ) -> Exception:
        """Return the exception for a function's error."""
        called = f"{name}({', '.join(map(repr, arguments))})"
        return EvaluationError(f"{called}: {_reason(error)}")

    # ------------------------------------------------------------------ evaluated here

    def _own_step(self, node: Node) -> Step | None:
        """The step of an expression that is evaluated here; None for any other."""
        match node:
            case Literal(value):
                return lambda _: value
            case Name(name):
                return _variable(name)
            case Member(of, name):
                return self._member(node, name, self.step(of))
            case Items(items):
                steps = [self.step(item) for item in items]
                return lambda scope: [step(scope) for step in steps]
            case Call("has", (Member(of, name),)):
                inner = self.step(of)
                return lambda scope: name in _items(inner(scope))
            case Call(name, _, None) if name not in _LIBRARY_FUNCTIONS:
                return self.call(node)
            case MacroCall():
                return self._loop(node)
        return self._short_circuit(node)

    def _short_circuit(self, node: Node) -> Step | None:
        """The step of an operator that does not always evaluate all its operands; None for any other expression."""
        match node:
            case Binary("&&" | "||" as sign, left, right):
                return self._and_or([self.step(left), self.step(right)], decides=sign == "||")
            case Unary("!", of):
                negated = self.step(of)
                return lambda scope: not self._as_bool(negated(scope))
            case Choice():
                condition, yes, no = map(self.step, parts_of(node))
                return lambda scope: (yes if self._as_bool(condition(scope)) else no)(scope)
        return None

    def _member(self, node: Member, name: str, inner: Step) -> Step:
        library_step = self._library_step(node)

        def value(scope: Scope) -> Any:
            of = inner(scope)
            return of[name] if isinstance(of, Mapping) and name in of else library_step(scope)

        return value

    def call(self, call: Call) -> Step:
        """Return the step of a call."""
        name = call.name
        steps = [self.argument(call, number) for number in range(len(call.arguments))]

        def value(scope: Scope) -> Any:
            arguments = [step(scope) for step in steps]
            scope.budget.spend()
            if name not in scope.functions:
                raise EvaluationError(f"there is no function {name!r}")
            try:
                found = scope.functions[name](*arguments)
            except (EvaluationError, BadInput):
                raise
            except Exception as error:  # a third party's function may raise anything
                raise self.failed(name, scope.functions[name], arguments, error) from error
            return found.item() if isinstance(found, np.generic) else found

        return value

    def _and_or(self, sides: list[Step], *, decides: bool) -> Step:
        """The step of ``&&`` or ``||``: a side that decides alone makes errors of the other one irrelevant."""

        def value(scope: Scope) -> bool:
            errors: list[EvaluationError] = []
            for side in sides:
                try:
                    if self._as_bool(side(scope)) is decides:
                        return decides
                except EvaluationError as error:
                    errors.append(error)
            if len({*map(type, errors)}) == 1 and len(errors) == len(sides):
                raise type(errors[0])("; ".join(dict.fromkeys(e.reason for e in errors)))
            if errors:
                raise errors[0]
            return not decides

        return value

    def _loop(self, node: MacroCall) -> Step:
        of = self.step(node.of)
        *conditions, last = map(self.step, node.each)

        def values(scope: Scope) -> Iterator[tuple[Any, Any]]:
            """Items, each with the value of the expression about it."""
            for item in _items(of(scope)):
                scope.budget.spend()
                variables = {**scope.variables, node.variable: item}
                inner = Scope(variables, scope.functions, scope.budget)
                if all(self._as_bool(condition(inner)) for condition in conditions):
                    yield item, last(inner)

        def truths(scope: Scope) -> Iterator[bool]:
            return (self._as_bool(value) for _, value in values(scope))

        match node.macro:
            case "map":
                return lambda scope: [value for _, value in values(scope)]
            case "filter":
                return lambda scope: [item for item, value in values(scope) if self._as_bool(value)]
            case "all":
                return lambda scope: all(truths(scope))
            case "exists":
                return lambda scope: any(truths(scope))
        return lambda scope: sum(truths(scope)) == 1

    def _as_bool(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        self.check_value(value)
        raise EvaluationError(f"{value!r} is neither true nor false")

    # ------------------------------------------------------------------ evaluated by the library

    def _library_step(self, node: Node) -> Step:
        """The step of an expression in which each operand is replaced by a variable."""
        text, steps = self.text[node.begin : node.end], list(map(self.step, parts_of(node)))
        for number, part in reversed([*enumerate(parts_of(node))]):
            begin, end = part.begin - node.begin, part.end - node.begin
            text = f"{text[:begin]}part{number}{text[end:]}"
        program = compile_text(text)

        def value(scope: Scope) -> Any:
            parts = {f"part{number}": step(scope) for number, step in enumerate(steps)}
            for part in parts.values():
                self.check_value(part)
            found = _execute(program, parts)
            if isinstance(found, str | bytes | list):
                scope.budget.spend(len(found) // _BLOCK_SIZE)
            return found

        return value


def _variable(name: str) -> Step:
    """The step of a variable, or of a name that the library defines itself."""

    def value(scope: Scope) -> Any:
        variables = scope.variables
        return variables[name] if name in variables else _execute(compile_text(name), {})

    return value


def _execute(program: Any, variables: dict[str, Any]) -> Any:
    try:
        return program.execute(variables)
    except KeyError as error:
        raise EvaluationError(f"there is no {error.args[0]!r}") from None
    except Exception as error:
        raise EvaluationError(first_line(error)) from error


def _items(value: object) -> Collection[Any]:
    """The items of a list, or the keys of a map."""
    if isinstance(value, list | tuple | Mapping):
        return value
    raise EvaluationError(f"{value!r} is neither a list nor a map")


def _reason(error: Exception) -> str:
    """A function's error in words; a KeyError names a missing entity, or an entity and its attribute."""
    if not isinstance(error, KeyError):
        return str(error)
    missing = error.args[0]
    name = ".".join(map(str, missing)) if isinstance(missing, tuple) else missing
    return f"the scene has no {name}"


def first_line(error: Exception) -> str:
    """Return the first line of the library's message."""
    text = str(error).strip()
    return text.splitlines()[0].removeprefix("Failed to parse expression ") if text else repr(error)
