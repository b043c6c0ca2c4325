"""Nodes of an expression's syntax tree, and their text."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression.

    Attributes:
        begin: index of its first character in the text, including brackets around it.
        end: index after its last character.
    """

    begin: int = field(default=0, kw_only=True, compare=False, repr=False)
    end: int = field(default=0, kw_only=True, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Literal(Part):
    """A number, a truth value, a text, bytes or null."""

    value: bool | int | float | str | bytes | None


@dataclass(frozen=True, slots=True)
class Name(Part):
    """A variable; in a network of machines the current value of a signal."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary(Part):
    """An operand with the prefix ``!`` or ``-``."""

    sign: str
    of: Node


@dataclass(frozen=True, slots=True)
class Binary(Part):
    """Two operands with one of ``+ - * / % < <= > >= == != in && ||``; with ``[]`` the right one is the index."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Choice(Part):
    """``condition ? yes : no``."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True)
class Call(Part):
    """``name(argument, ...)``, or ``of.name(argument, ...)``."""

    name: str
    arguments: tuple[Node, ...]
    of: Node | None = None


@dataclass(frozen=True, slots=True)
class Member(Part):
    """``of.name``."""

    of: Node
    name: str


@dataclass(frozen=True, slots=True)
class Items(Part):
    """``[item, ...]``."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Entries(Part):
    """``{key: value, ...}``."""

    entries: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True)
class MacroCall(Part):
    """``of.all(variable, each)`` and other macros: an expression about each item of a list, or each key of a map.

    Attributes:
        of: the list or the map.
        macro: ``all``, ``exists``, ``exists_one``, ``filter`` or ``map``.
        variable: name of the item in `each`.
        each: one expression; for a ``map`` with a condition two, the condition first.
    """

    of: Node
    macro: str
    variable: str
    each: tuple[Node, ...]


Node: TypeAlias = (
    "Literal | Name | Unary | Binary | Choice | Call | Member | Items | Entries | MacroCall"
)
"""An expression, or a part of one."""


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the direct operands of an expression, in the order of the text."""
    match node:
        case Unary(_, of) | Member(of):
            return (of,)
        case Binary(_, left, right):
            return (left, right)
        case Choice(condition, yes, no):
            return (condition, yes, no)
        case Call(_, parts, of):
            return parts if of is None else (of, *parts)
        case MacroCall(of, _, _, each):
            return (of, *each)
        case Items(items):
            return items
        case Entries(entries):
            return tuple(part for entry in entries for part in entry)
    return ()


def walk(node: Node) -> Iterator[Node]:
    """Iterate over an expression and all its parts, in the order of the text."""
    yield node
    for part in parts_of(node):
        yield from walk(part)


def names_of(node: Node) -> Iterator[str]:
    """Iterate over the variables of an expression, in the order of the text, without those of its loops."""
    match node:
        case Name(name):
            yield name
        case MacroCall(of, _, variable, each):
            yield from names_of(of)
            yield from (name for part in each for name in names_of(part) if name != variable)
        case _:
            for part in parts_of(node):
                yield from names_of(part)


def conjuncts(node: Node) -> tuple[Node, ...]:
    """Return the operands of the outermost ``&&`` of an expression; itself if it is not a conjunction."""
    if isinstance(node, Binary) and node.sign == "&&":
        return (*conjuncts(node.left), *conjuncts(node.right))
    return (node,)


def number_of(node: Node) -> int | float | None:
    """Return the value of a numeric literal; None for any other expression."""
    is_number = isinstance(node, Literal) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[union-attr, return-value]


def depth_of(node: Node) -> int:
    """Return the depth of an expression's tree; a variable alone has 1."""
    level, deepest = [node], 0
    while level:
        deepest += 1
        level = [part for each in level for part in parts_of(each)]
    return deepest


_PRECEDENCE = {"||": 1, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5, "%": 5, "[]": 7}
_CHOICE, _COMPARISON, _SIGN, _HIGHEST = 0, 3, 6, 7


def text_of(node: Node) -> str:
    """Return the text of an expression."""
    match node:
        case Name(name):
            return name
        case Unary(sign, of):
            return f"{sign}{_after_sign(sign, of)}"
        case Binary("[]", left, right):
            return f"{_bracketed(left, _HIGHEST)}[{text_of(right)}]"
        case Binary(sign, left, right):
            precedence = _precedence_of(node)
            return f"{_bracketed(left, precedence)} {sign} {_bracketed(right, precedence + 1)}"
        case Choice(condition, yes, no):
            return f"{_bracketed(condition, 1)} ? {_bracketed(yes, 1)} : {text_of(no)}"
    return _atom(node)


def _atom(node: Literal | Call | Member | MacroCall | Items | Entries) -> str:
    """The text of a node that needs no brackets, except for a negative number."""
    match node:
        case Literal(bytes() as value):
            return 'b"' + "".join(f"\\x{byte:02x}" for byte in value) + '"'
        case Literal(value):
            return json.dumps(value, ensure_ascii=False)
        case Call(name, arguments, of):
            prefix = "" if of is None else f"{_bracketed(of, _HIGHEST)}."
            return f"{prefix}{name}({_list(arguments)})"
        case Member(of, name):
            return f"{_bracketed(of, _HIGHEST)}.{name}"
        case MacroCall(of, macro, variable, each):
            return f"{_bracketed(of, _HIGHEST)}.{macro}({variable}, {_list(each)})"
        case Items(items):
            return f"[{_list(items)}]"
        case Entries(entries):
            return f"{{{', '.join(f'{text_of(key)}: {text_of(value)}' for key, value in entries)}}}"


def _list(nodes: tuple[Node, ...]) -> str:
    return ", ".join(text_of(node) for node in nodes)


def _precedence_of(node: Node) -> int:
    match node:
        case Binary(sign):
            return _PRECEDENCE.get(sign, _COMPARISON)
        case Choice():
            return _CHOICE
        case Unary():
            return _SIGN
        case Literal() if text_of(node).startswith("-"):
            return _SIGN
    return _HIGHEST


def _bracketed(node: Node, precedence: int) -> str:
    text = text_of(node)
    return f"({text})" if _precedence_of(node) < precedence else text


def _after_sign(sign: str, of: Node) -> str:
    """The operand of a sign, in brackets if it would otherwise merge with the sign."""
    text = _bracketed(of, _SIGN)
    return f"({text})" if text[0] in {"!": "-", "-": "!0123456789"}[sign] else text
