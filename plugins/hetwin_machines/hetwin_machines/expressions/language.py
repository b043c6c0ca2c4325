"""Reads the expressions of arcs: the part of the expression language that is about numbers and truths."""

from __future__ import annotations

from hetwin_machines.errors import NetworkError
from hetwin_suite.expressions import (
    DEEPEST,
    Binary,
    Call,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
    WrongSyntax,
    depth_of,
    walk,
)
from hetwin_suite.expressions import parse as parse_any

FUNCTIONS = {"min": (2, 9), "max": (2, 9), "abs": (1, 1)}
"""Functions, with the fewest and the most arguments that each takes."""
EXPECTED = "an expression of signals, numbers and truths, such as n > 0 && !busy"


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
        if depth_of(node) > DEEPEST:
            raise WrongSyntax(f"it is nested deeper than {DEEPEST}")
        for part in walk(node):
            _check(part, text)
    except WrongSyntax as error:
        problem = f"the expression is wrong: {error}"
        raise NetworkError(problem, where, text, EXPECTED) from None
    return node


def _check(part: Node, text: str) -> None:
    """See that a part belongs to the language.

    Raises:
        WrongSyntax: if not, with its place.
    """
    match part:
        case Literal(bool() | int() | float()) | Name() | Unary() | Choice():
            return
        case Binary(sign) if sign not in ("in", "[]"):
            return
        case Call(name, arguments, None) if name in FUNCTIONS:
            fewest, most = FUNCTIONS[name]
            if fewest <= len(arguments) <= most:
                return
            problem = f"{name} takes {fewest}{f' to {most}' if most > fewest else ''} arguments"
        case Call(name):
            problem = f"there is no function {name}"
        case _:
            problem = f"{text[part.begin : part.end]!r} is not part of the language"
    raise WrongSyntax(f"{problem} (column {part.begin + 1})")
