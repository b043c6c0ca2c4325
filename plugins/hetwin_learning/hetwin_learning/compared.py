"""Finds the numbers that the comparisons in an expression use as bounds, with their positions in the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hetwin_suite.expressions import (
    Binary,
    Call,
    Entries,
    Literal,
    Node,
    conjuncts,
    number_of,
    parse,
    walk,
)


class Operand(NamedTuple):
    """A number in an expression that something is compared with.

    Attributes:
        begin: index of its first character in the text.
        end: index after its last character.
        value: value of the number.
        least: whether the compared quantity must be at least the number; otherwise at most.
        what: expression of the compared quantity; for a distance to `to`, expression of the nearest object.
        to: entity from whose frame the distance to the nearest object is measured; empty if no distance is compared.
        relaxed: begin, end and replacement of the text whose replacement removes the comparison.
    """

    begin: int
    end: int
    value: float
    least: bool
    what: str
    to: str
    relaxed: tuple[int, int, str]

    @property
    def words(self) -> str:
        """The compared quantity as text."""
        return f"distance from {self.to} to {self.what}" if self.to else self.what


def comparisons(text: str, conjunction: bool) -> list[Operand]:
    """Return the numbers of an expression that can be learned.

    Args:
        text: text of the expression, in CEL.
        conjunction: whether the expression is a condition, false if any part joined by ``&&`` is; else only `within`
            of `nearest_object` is learned.
    """
    node = parse(text)
    found = [one for part in walk(node) for one in _nearest(text, part)]
    if conjunction:
        found += [one for part in conjuncts(node) for one in _bound(text, part)]
    return sorted(found)


def _nearest(text: str, node: Node) -> Iterator[Operand]:
    """Yield the option `within` of a call of `nearest_object`."""
    match node:
        case Call("nearest_object", (to, Entries(entries))):
            here = text[to.begin : to.end]
            for key, at in entries:
                value = number_of(at)
                if key == Literal("within") and value is not None:
                    rest = ", ".join(text[k.begin : v.end] for k, v in entries if k is not key)
                    without = f"nearest_object({here}, {{{rest}}})"
                    relaxed = (node.begin, node.end, without)
                    yield Operand(at.begin, at.end, float(value), False, without, here, relaxed)


def _bound(text: str, node: Node) -> Iterator[Operand]:
    """Yield the number that a part of a conjunction compares a quantity with."""
    match node:
        case Binary("<" | "<=" | ">" | ">=" as sign, one, two):
            relaxed = (node.begin, node.end, "true")
            for at, other in ((two, one), (one, two)):
                value = number_of(at)
                if value is not None and number_of(other) is None:
                    what = text[other.begin : other.end]
                    least = sign.startswith(">") == (at is two)
                    yield Operand(at.begin, at.end, float(value), least, what, "", relaxed)


def relaxed(text: str, found: list[Operand]) -> str:
    """Return the expression without the comparisons with these numbers."""
    for one in sorted(found, key=lambda one: -one.relaxed[0]):
        begin, end, instead = one.relaxed
        text = text[:begin] + instead + text[end:]
    return text


def with_numbers(text: str, found: list[Operand], values: list[float]) -> str:
    """Return the expression with its numbers replaced by other values."""
    for one, value in sorted(zip(found, values, strict=True), key=lambda pair: -pair[0].begin):
        text = text[: one.begin] + written(value) + text[one.end :]
    return text


def written(value: float) -> str:
    """Return a number as a decimal literal of CEL."""
    text = f"{value:.6g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"
