"""Writes expressions, from what they are made of, with no more brackets than they need."""

from __future__ import annotations

import json

from hetwin_core.ensemble.expressions.nodes import (
    Binary,
    Call,
    Choice,
    Entries,
    Items,
    Literal,
    Loop,
    Member,
    Name,
    Node,
    Unary,
)

_STRENGTH = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "[]": 7}
_OF_CHOICES, _OF_COMPARISONS, _OF_SIGNS, _OF_ALL_ELSE = 0, 3, 6, 7


def text_of(node: Node) -> str:
    """Return the text of an expression."""
    match node:
        case Name(name):
            return name
        case Unary(sign, of):
            return f"{sign}{_after_sign(sign, of)}"
        case Binary("[]", one, two):
            return f"{_within(one, _OF_ALL_ELSE)}[{text_of(two)}]"
        case Binary(sign, one, two):
            strength = _strength(node)
            return f"{_within(one, strength)} {sign} {_within(two, strength + 1)}"
        case Choice(condition, yes, no):
            return f"{_within(condition, 1)} ? {_within(yes, 1)} : {text_of(no)}"
    return _atom(node)


def _atom(node: Literal | Call | Member | Loop | Items | Entries) -> str:
    """The text of what needs no brackets, but for a negative number."""
    match node:
        case Literal(bytes() as value):
            return 'b"' + "".join(f"\\x{byte:02x}" for byte in value) + '"'
        case Literal(value):
            return json.dumps(value, ensure_ascii=False)
        case Call(name, arguments, of):
            before = "" if of is None else f"{_within(of, _OF_ALL_ELSE)}."
            return f"{before}{name}({_list(arguments)})"
        case Member(of, name):
            return f"{_within(of, _OF_ALL_ELSE)}.{name}"
        case Loop(of, macro, variable, each):
            return f"{_within(of, _OF_ALL_ELSE)}.{macro}({variable}, {_list(each)})"
        case Items(items):
            return f"[{_list(items)}]"
        case Entries(entries):
            return f"{{{', '.join(f'{text_of(key)}: {text_of(value)}' for key, value in entries)}}}"


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
        case Literal() if text_of(node).startswith("-"):
            return _OF_SIGNS
    return _OF_ALL_ELSE


def _within(node: Node, strength: int) -> str:
    text = text_of(node)
    return f"({text})" if _strength(node) < strength else text


def _after_sign(sign: str, of: Node) -> str:
    """What follows a sign: ``-1`` is a number, and signs of two sorts need a bracket between them."""
    text = _within(of, _OF_SIGNS)
    return f"({text})" if text[0] in {"!": "-", "-": "!0123456789"}[sign] else text
