"""Writes expressions, from what they are made of, with no more brackets than they need."""

from __future__ import annotations

from hetwin_core.ensemble.expressions.literals import written
from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Index,
    Items,
    Literal,
    Loop,
    Member,
    Method,
    Name,
    Node,
    Unary,
)

_STRENGTH = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5}
_OF_CHOICES, _OF_COMPARISONS, _OF_SIGNS, _OF_ALL_ELSE = 0, 3, 6, 7


def text_of(node: Node) -> str:
    """Return the text of an expression."""
    match node:
        case Literal(value):
            return written(value)
        case Name(name):
            return name
        case Unary(sign, of):
            return f"{sign}{_after_sign(sign, of)}"
        case Binary(sign, one, two):
            strength = _strength(node)
            return f"{_within(one, strength)} {sign} {_within(two, strength + 1)}"
        case Choice(condition, yes, no):
            return f"{_within(condition, 1)} ? {_within(yes, 1)} : {text_of(no)}"
        case Call(name, arguments):
            return f"{name}({_list(arguments)})"
        case Items(items):
            return f"[{_list(items)}]"
        case Entries(entries):
            return f"{{{', '.join(f'{text_of(key)}: {text_of(value)}' for key, value in entries)}}}"
    return _following(node)


def _following(node: Member | Method | Index | Loop) -> str:
    of = _within(node.of, _OF_ALL_ELSE)
    match node:
        case Member(_, name):
            return f"{of}.{name}"
        case Method(_, name, arguments):
            return f"{of}.{name}({_list(arguments)})"
        case Index(_, at):
            return f"{of}[{text_of(at)}]"
        case Loop(_, macro, variable, each):
            return f"{of}.{macro}({variable}, {_list(each)})"


def _list(nodes: tuple[Node, ...]) -> str:
    return ", ".join(text_of(node) for node in nodes)


def _strength(node: Node) -> int:
    match node:
        case Binary(sign):
            return _STRENGTH.get(sign, _OF_COMPARISONS)
        case Choice():
            return _OF_CHOICES
        case Unary():
            return _OF_SIGNS
        case Literal(int() | float() as value) if written(value).startswith("-"):
            return _OF_SIGNS
    return _OF_ALL_ELSE


def _within(node: Node, strength: int) -> str:
    text = text_of(node)
    return f"({text})" if _strength(node) < strength else text


def _after_sign(sign: str, of: Node) -> str:
    """What follows a sign: ``-1`` is a number, and signs of two sorts need a bracket between them."""
    text = _within(of, _OF_SIGNS)
    joins = "-" if sign == "!" else "!0123456789"
    return f"({text})" if text[0] in joins else text
