"""What kind of value an expression has, as far as it can be known before it is evaluated."""

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
BETWEEN_TRUTHS = {"&&", "||"}


class Kind(Enum):
    """Kinds of values; what may be either is `ANY`, what has none yet `NONE`."""

    NONE = "no value"
    TRUTH = "a truth"
    NUMBER = "a number"
    ANY = "a truth or a number"


def either(one: Kind, two: Kind) -> Kind:
    """Return the kind of what is the one or the other."""
    if one is two or two is Kind.NONE:
        return one
    return two if one is Kind.NONE else Kind.ANY


def kind_of(node: Node, signals: Mapping[str, Kind]) -> Kind:
    """Return the kind of an expression, given those of the signals; unknown signals may be either."""
    match node:
        case Literal(value):
            return Kind.TRUTH if isinstance(value, bool) else Kind.NUMBER
        case Name(name):
            return signals.get(name, Kind.ANY)
        case Unary(sign):
            return Kind.TRUTH if sign == "!" else Kind.NUMBER
        case Binary(sign):
            return Kind.TRUTH if sign in COMPARISONS | BETWEEN_TRUTHS else Kind.NUMBER
        case Choice(_, yes, no):
            return either(kind_of(yes, signals), kind_of(no, signals))
    return Kind.NUMBER
