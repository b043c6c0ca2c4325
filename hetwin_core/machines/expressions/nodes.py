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


def signals_of(node: Node) -> Iterator[str]:
    """Iterate over the names of all signals in an expression, in the order of the text."""
    match node:
        case Signal(name):
            yield name
        case Unary(_, of):
            yield from signals_of(of)
        case Binary(_, one, two):
            yield from signals_of(one)
            yield from signals_of(two)
        case Choice(condition, yes, no):
            yield from signals_of(condition)
            yield from signals_of(yes)
            yield from signals_of(no)
        case Call(_, arguments):
            for argument in arguments:
                yield from signals_of(argument)
