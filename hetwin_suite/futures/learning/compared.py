"""The numbers that expressions compare something with, and where they stand in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hetwin_core.ensemble.expressions.conjuncts import conjuncts

_NUMBER = r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_AFTER = re.compile(rf"(?P<what>[^<>=!&|?]+?)\s*(?P<sign><=|>=|<|>)\s*(?P<number>{_NUMBER})\Z")
_BEFORE = re.compile(rf"(?P<number>{_NUMBER})\s*(?P<sign><=|>=|<|>)\s*(?P<what>[^<>=!&|?]+)\Z")
_NEAREST = re.compile(r"nearest_object\(\s*(?P<to>[^,()]+?)\s*,\s*\{(?P<options>[^{}]*)\}\s*\)")
_WITHIN = re.compile(rf"['\"]within['\"]\s*:\s*(?P<number>{_NUMBER})\s*,?\s*")


class Compared(NamedTuple):
    """A number in an expression.

    Attributes:
        begin: of the number in the text.
        end: of it.
        value: of it.
        least: whether what is compared must be at least the number.
        what: expression of what is compared; or of the nearest object, if it is its distance to `to`.
        to: entity from whose frame the distance to the nearest object counts; empty if no distance is compared.
        relaxed: begin, end and replacement of the part of the text without which nothing is compared.
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
        """What is compared, in words."""
        return f"distance from {self.to} to {self.what}" if self.to else self.what


def comparisons(text: str, conjunction: bool) -> list[Compared]:
    """Return the numbers of an expression that can be learned.

    Args:
        text: of the expression, in CEL.
        conjunction: whether the condition is false where one of its parts between ``&&`` is.
    """
    found = list(_nearest(text))
    if conjunction:
        found += _parts(text)
    return sorted(found)


def _nearest(text: str) -> Iterator[Compared]:
    """Yield the option `within` of each call of `nearest_object`."""
    for call in _NEAREST.finditer(text):
        within = _WITHIN.search(call["options"])
        if within is None:
            continue
        rest = _WITHIN.sub("", call["options"]).strip().rstrip(",")
        begin = call.start("options") + within.start("number")
        end = call.start("options") + within.end("number")
        without = f"nearest_object({call['to']}, {{{rest}}})"
        value = float(within["number"])
        relaxed = (call.start(), call.end(), without)
        yield Compared(begin, end, value, False, without, call["to"], relaxed)


def _parts(text: str) -> Iterator[Compared]:
    """Yield the parts of a conjunction that compare something with a number."""
    at = 0
    for part in conjuncts(text):
        at = text.index(part, at)
        after = _AFTER.match(part)
        match = after or _BEFORE.match(part)
        if match is not None:
            begin, end = at + match.start("number"), at + match.end("number")
            least = match["sign"].startswith(">") == (after is not None)
            what = match["what"].strip()
            relaxed = (at, at + len(part), "true")
            yield Compared(begin, end, float(match["number"]), least, what, "", relaxed)
        at += len(part)


def relaxed(text: str, found: list[Compared]) -> str:
    """Return the expression in which nothing is compared with these numbers."""
    for one in sorted(found, key=lambda one: -one.relaxed[0]):
        begin, end, instead = one.relaxed
        text = text[:begin] + instead + text[end:]
    return text


def with_numbers(text: str, found: list[Compared], values: list[float]) -> str:
    """Return the expression with other numbers."""
    for one, value in sorted(zip(found, values, strict=True), key=lambda pair: -pair[0].begin):
        text = text[: one.begin] + written(value) + text[one.end :]
    return text


def written(value: float) -> str:
    """Return a number as CEL has it, a decimal one."""
    text = f"{value:.6g}"
    return text if any(mark in text for mark in ".en") else f"{text}.0"
