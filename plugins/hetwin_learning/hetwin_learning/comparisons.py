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
        is_lower_bound: whether the compared quantity must be at least the number; otherwise at most.
        quantity: expression of the compared quantity; for a distance from `origin`, expression of the nearest object.
        origin: entity from whose frame the distance to the nearest object is measured; empty for other quantities.
        replacement: begin and end of a part of the text, and the new text that removes the comparison.
    """

    begin: int
    end: int
    value: float
    is_lower_bound: bool
    quantity: str
    origin: str
    replacement: tuple[int, int, str]

    @property
    def description(self) -> str:
        """The compared quantity as text."""
        return f"distance from {self.origin} to {self.quantity}" if self.origin else self.quantity


def comparisons(text: str, conjunction: bool) -> list[Operand]:
    """Return the numbers of an expression that can be learned.

    Args:
        text: text of the expression, in CEL.
        conjunction: whether the expression is a condition, false if any part joined by ``&&`` is; else only `within`
            of `nearest_object` is learned.
    """
    node = parse(text)
    found = [operand for part in walk(node) for operand in _nearest(text, part)]
    if conjunction:
        found += [operand for part in conjuncts(node) for operand in _bound(text, part)]
    return sorted(found)


def _nearest(text: str, node: Node) -> Iterator[Operand]:
    """Yield the option `within` of a call of `nearest_object`."""
    match node:
        case Call("nearest_object", (to, Entries(entries))):
            origin = text[to.begin : to.end]
            for key, number in entries:
                value = number_of(number)
                if key == Literal("within") and value is not None:
                    other_options = ", ".join(
                        text[k.begin : v.end] for k, v in entries if k is not key
                    )
                    call_without_option = f"nearest_object({origin}, {{{other_options}}})"
                    replacement = (node.begin, node.end, call_without_option)
                    yield Operand(
                        number.begin,
                        number.end,
                        float(value),
                        False,
                        call_without_option,
                        origin,
                        replacement,
                    )


def _bound(text: str, node: Node) -> Iterator[Operand]:
    """Yield the number that a part of a conjunction compares a quantity with."""
    match node:
        case Binary("<" | "<=" | ">" | ">=" as sign, left, right):
            replacement = (node.begin, node.end, "true")
            for number, quantity in ((right, left), (left, right)):
                value = number_of(number)
                if value is not None and number_of(quantity) is None:
                    quantity_text = text[quantity.begin : quantity.end]
                    is_lower_bound = sign.startswith(">") == (number is right)
                    yield Operand(
                        number.begin,
                        number.end,
                        float(value),
                        is_lower_bound,
                        quantity_text,
                        "",
                        replacement,
                    )


def without_comparisons(text: str, operands: list[Operand]) -> str:
    """Return the expression without the comparisons with these numbers."""
    for operand in sorted(operands, key=lambda operand: -operand.replacement[0]):
        begin, end, new_text = operand.replacement
        text = text[:begin] + new_text + text[end:]
    return text


def with_values(text: str, operands: list[Operand], values: list[float]) -> str:
    """Return the expression with its numbers replaced by other values."""
    for operand, value in sorted(
        zip(operands, values, strict=True), key=lambda pair: -pair[0].begin
    ):
        text = text[: operand.begin] + cel_literal(value) + text[operand.end :]
    return text


def cel_literal(value: float) -> str:
    """Return a number as a decimal literal of CEL."""
    text = f"{value:.6g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"
