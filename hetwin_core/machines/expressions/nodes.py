"""What an expression is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a truth."""

    value: bool | int | float


@dataclass(frozen=True, slots=True)
class Signal:
    """The present value of a signal."""

    name: str


@dataclass(frozen=True, slots=True)
class Unary:
    """``!`` or ``-`` of something."""

    sign: str
    of: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """Two things with ``+ - * / % < <= > >= == != && ||`` between them."""

    sign: str
    one: Node
    two: Node


@dataclass(frozen=True, slots=True)
class Choice:
    """``condition ? yes : no``."""

    condition: Node
    yes: Node
    no: Node


@dataclass(frozen=True, slots=True)
class Call:
    """``min``, ``max`` or ``abs`` of something."""

    name: str
    arguments: tuple[Node, ...]


Node = Literal | Signal | Unary | Binary | Choice | Call


def parts_of(node: Node) -> tuple[Node, ...]:
    """Return the expressions that an expression is directly made of, in the order of the text."""
    match node:
        case Unary(_, of):
            return (of,)
        case Binary(_, one, two):
            return (one, two)
        case Choice(condition, yes, no):
            return (condition, yes, no)
        case Call(_, arguments):
            return arguments
    return ()


def signals_of(node: Node) -> Iterator[str]:
    """Iterate over the names of all signals in an expression, in the order of the text."""
    if isinstance(node, Signal):
        yield node.name
    for part in parts_of(node):
        yield from signals_of(part)


def depth_of(node: Node) -> int:
    """Return how deep an expression is nested; a signal alone is 1."""
    level, deepest = [node], 0
    while level:
        deepest += 1
        level = [part for each in level for part in parts_of(each)]
    return deepest
