"""Writes expressions as a drawing shows them, from what they are made of."""

from __future__ import annotations

from hetwin_core.machines.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Literal,
    Node,
    Signal,
    Unary,
)
from hetwin_core.machines.seeing.looking import in_words

_STRENGTH = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}
_OF_COMPARISONS, _OF_SIGNS = 3, 6


def words(node: Node) -> str:
    """Return the text of an expression, with no more brackets than it needs."""
    match node:
        case Literal(value):
            return in_words(value)
        case Signal(name):
            return name
        case Unary(sign, of):
            return f"{sign}{_within(of, _OF_SIGNS)}"
        case Binary(sign, one, two):
            strength = _strength(node)
            return f"{_within(one, strength)} {sign} {_within(two, strength + 1)}"
        case Choice(condition, yes, no):
            return f"{_within(condition, 1)} ? {_within(yes, 1)} : {words(no)}"
        case Call(name, arguments):
            return f"{name}({', '.join(words(each) for each in arguments)})"


def _strength(node: Node) -> int:
    match node:
        case Binary(sign):
            return _STRENGTH.get(sign, _OF_COMPARISONS)
        case Choice():
            return 0
        case Unary():
            return _OF_SIGNS
    return _OF_SIGNS + 1


def _within(node: Node, strength: int) -> str:
    text = words(node)
    return f"({text})" if _strength(node) < strength else text
