"""Parse the expressions of arcs, which use the subset of the expression language with only numbers and Booleans."""

from __future__ import annotations

from hetwin_machines.errors import NetworkError
from hetwin_suite.expressions import (
    MAX_NESTING,
    Binary,
    Call,
    Choice,
    ExpressionSyntaxError,
    Literal,
    Name,
    Node,
    Unary,
    depth_of,
    walk,
)
from hetwin_suite.expressions import parse as parse_any

FUNCTIONS = {"min": (2, 9), "max": (2, 9), "abs": (1, 1)}
"""Name of a function -> its minimum and maximum number of arguments."""
EXPECTED = "an expression of signals, numbers and Booleans, such as n > 0 && !busy"


def parse(text: str, where: str = "") -> Node:
    """Return the syntax tree of an expression.

    Args:
        text: the expression, as in the file.
        where: machine, state and key, for error messages.

    Raises:
        NetworkError: if the syntax is wrong or something is used that does not belong to the subset.
    """
    try:
        node = parse_any(text)
        if depth_of(node) > MAX_NESTING:
            raise ExpressionSyntaxError(f"it is nested deeper than {MAX_NESTING}")
        for part in walk(node):
            _check(part, text)
    except ExpressionSyntaxError as error:
        problem = f"the expression is wrong: {error}"
        raise NetworkError(problem, where, text, EXPECTED) from None
    return node


def _check(part: Node, text: str) -> None:
    """Check that a part of an expression belongs to the subset.

    Raises:
        ExpressionSyntaxError: if it does not, with its column.
    """
    match part:
        case Literal(bool() | int() | float()) | Name() | Unary() | Choice():
            return
        case Binary(sign) if sign not in ("in", "[]"):
            return
        case Call(name, arguments, None) if name in FUNCTIONS:
            minimum, maximum = FUNCTIONS[name]
            if minimum <= len(arguments) <= maximum:
                return
            limits = f"{minimum} to {maximum}" if maximum > minimum else f"{minimum}"
            problem = f"{name} takes {limits} arguments"
        case Call(name):
            problem = f"there is no function {name}"
        case _:
            problem = f"{text[part.begin : part.end]!r} is not part of the language"
    raise ExpressionSyntaxError(f"{problem} (column {part.begin + 1})")
