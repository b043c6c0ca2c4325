"""Infer the kind of an expression's value, as far as this is possible without evaluating the expression."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from hetwin_suite.expressions import (
    Binary,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
)

COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
LOGICAL = {"&&", "||"}


class Kind(Enum):
    """Kinds of values; `ANY` is a Boolean or a number, `NONE` stands for signals not assigned so far."""

    NONE = "no value"
    TRUTH = "a Boolean"
    NUMBER = "a number"
    ANY = "a Boolean or a number"


def union(first: Kind, second: Kind) -> Kind:
    """Return the kind of a value that has one of two kinds."""
    if first is second or second is Kind.NONE:
        return first
    return second if first is Kind.NONE else Kind.ANY


def kind_of(node: Node, signals: Mapping[str, Kind]) -> Kind:
    """Return the kind of an expression, given the kinds of signals; other signals are of kind `Kind.ANY`."""
    match node:
        case Literal(value):
            return Kind.TRUTH if isinstance(value, bool) else Kind.NUMBER
        case Name(name):
            return signals.get(name, Kind.ANY)
        case Unary(sign):
            return Kind.TRUTH if sign == "!" else Kind.NUMBER
        case Binary(sign):
            return Kind.TRUTH if sign in COMPARISONS | LOGICAL else Kind.NUMBER
        case Choice(_, yes, no):
            return union(kind_of(yes, signals), kind_of(no, signals))
    return Kind.NUMBER
