"""Reads the expressions of arcs: the part of the expression language that is about numbers and truths."""

from __future__ import annotations

from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
    Unsigned,
    depth_of,
    walk,
)
from hetwin_core.ensemble.expressions.parser import WrongSyntax
from hetwin_core.ensemble.expressions.parser import parse as parse_any
from hetwin_core.machines.errors import NetworkError

FUNCTIONS = {"min": (2, 9), "max": (2, 9), "abs": (1, 1)}
"""Functions, with the fewest and the most arguments that each takes."""
EXPECTED = "an expression of signals, numbers and truths, such as n > 0 && !busy"
DEEPEST = 60
"""Expressions may be nested so deep; each sign of a sum or a conjunction counts."""


def parse(text: str, where: str = "") -> Node:
    """Return an expression.

    Args:
        text: as it stands in the file.
        where: machine, state and key, for errors.

    Raises:
        NetworkError: if it is none, or more than the closed language has.
    """
    try:
        node = parse_any(text)
        problem = _problem(node, text)
    except WrongSyntax as error:
        problem = str(error)
    if problem:
        raise NetworkError(f"the expression is wrong: {problem}", where, text, EXPECTED) from None
    return node


def _problem(node: Node, text: str) -> str:
    """Return what is wrong in an expression of correct syntax; empty if nothing is."""
    if depth_of(node) > DEEPEST:
        return f"it is nested deeper than {DEEPEST}"
    for part in walk(node):
        match part:
            case Call(name, arguments):
                problem = _problem_of_call(name, len(arguments))
                if problem:
                    return f"{problem} (column {part.begin + 1})"
            case Literal(bool() | int() | float() as value) if not isinstance(value, Unsigned):
                pass
            case Name() | Unary() | Choice():
                pass
            case Binary(sign) if sign != "in":
                pass
            case _:
                written = text[part.begin : part.end]
                return f"{written!r} is not part of the language (column {part.begin + 1})"
    return ""


def _problem_of_call(name: str, given: int) -> str:
    if name not in FUNCTIONS:
        return f"there is no function {name}"
    fewest, most = FUNCTIONS[name]
    if fewest <= given <= most:
        return ""
    wanted = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return f"{name} takes {wanted} arguments"
