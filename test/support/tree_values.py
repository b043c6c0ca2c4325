"""The value of an expression by walking over its tree: another way to it than the Python that is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
)


class NoValue(Exception):
    """There is no value."""


def tree_value(node: Node, signals: Mapping[str, Any]) -> Any:
    match node:
        case Literal(value):
            return value
        case Name(name):
            return signals[name]
        case Unary("!", of):
            return not truth(tree_value(of, signals))
        case Unary(_, of):
            return fits(-number(tree_value(of, signals)))
        case Binary("&&" | "||" as sign, one, two):
            return joined(sign == "||", one, two, signals)
        case Binary(sign, one, two):
            return combined(sign, tree_value(one, signals), tree_value(two, signals))
        case Choice(condition, yes, no):
            return tree_value(yes if truth(tree_value(condition, signals)) else no, signals)
        case Call(name, arguments):
            values = [number(tree_value(each, signals)) for each in arguments]
            found = {"min": min, "max": max, "abs": lambda v: abs(v[0])}[name](values)
            return float(found) if any(type(v) is float for v in values) else fits(found)
    raise TypeError(node)


def joined(decides: bool, one: Node, two: Node, signals: Mapping[str, Any]) -> bool:
    """One side alone decides, if it can, whatever becomes of the other."""
    seen = []
    for side in (one, two):
        try:
            seen.append(truth(tree_value(side, signals)))
        except NoValue:
            seen.append(None)
    if decides in seen:
        return decides
    if None in seen:
        raise NoValue
    return not decides


def combined(sign: str, a: Any, b: Any) -> Any:
    if sign in ("==", "!="):
        return ((type(a) is bool) == (type(b) is bool) and a == b) is (sign == "==")
    if sign in ("<", "<=", ">", ">="):
        if (type(a) is bool) != (type(b) is bool):
            raise NoValue
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[sign]
    a, b = number(a), number(b)
    if sign in ("/", "%") and b == 0:
        raise NoValue
    if sign == "%":
        if type(a) is float or type(b) is float:
            raise NoValue
        return a - b * int_quotient(a, b)
    if sign == "/":
        return fits(int_quotient(a, b) if type(a) is type(b) is int else a / b)
    return fits({"+": a + b, "-": a - b, "*": a * b}[sign])


def int_quotient(a: int, b: int) -> int:
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def truth(value: Any) -> bool:
    if type(value) is not bool:
        raise NoValue
    return value


def number(value: Any) -> Any:
    if type(value) is bool:
        raise NoValue
    return value


def fits(value: Any) -> Any:
    if type(value) is int and not -(2**63) <= value < 2**63:
        raise NoValue
    if value - value != 0:
        raise NoValue
    return value
