"""Writes expressions as Python, from what they are made of; no text of a user gets there."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from dataclasses import dataclass

from hetwin_machines.expressions import operations
from hetwin_machines.expressions.kinds import COMPARISONS, Kind, kind_of
from hetwin_suite.expressions import (
    Binary,
    Call,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
)

_TAKEN = {name for name in vars(operations) if not name.startswith("_")} | {"s", "state", "fires"}
_ARC = re.compile(r"arc_\d+\Z")
_CALLS = {"+": "plus", "-": "minus", "*": "times", "/": "over", "%": "rest"}
_PLAIN = {"+", "-", "*"}
"""Signs between two numbers that Python has as well."""
_FUNCTIONS = {"min": "least", "max": "greatest", "abs": "size"}
_JOINED = {"&&": ("and", "both"), "||": ("or", "one_of")}


def local_name(signal: str) -> str:
    """Return the name of the Python variable that holds a signal."""
    plain = signal.rstrip("_")
    taken = plain in _TAKEN or keyword.iskeyword(plain) or _ARC.match(plain)
    return f"{signal}_" if taken else signal


@dataclass(frozen=True)
class Writer:
    """Writes expressions.

    Attributes:
        kinds: of the signals.
    """

    kinds: Mapping[str, Kind]

    def truth(self, node: Node) -> str:
        """Return Python for an expression that must be a truth."""
        text = self.write(node)
        return (
            text if kind_of(node, self.kinds) is Kind.TRUTH else f"truth({without_brackets(text)})"
        )

    def write(self, node: Node) -> str:
        """Return Python for an expression, in brackets where it needs some."""
        match node:
            case Literal(value):
                return repr(value)
            case Name(name):
                return local_name(name)
            case Unary("!", of):
                return f"(not {self.truth(of)})"
            case Unary(_, of):
                plain = self._are_numbers(of)
                return f"whole(-{self.write(of)})" if plain else f"negative({self._bare(of)})"
            case Binary(sign, one, two) if sign in _JOINED:
                return self._joined(sign, one, two)
            case Binary(sign, one, two) if sign in COMPARISONS:
                return self._compared(sign, one, two)
            case Binary(sign, one, two):
                return self._computed(sign, one, two)
            case Choice(condition, yes, no):
                return f"({self.write(yes)} if {self.truth(condition)} else {self.write(no)})"
            case Call(name, arguments):
                return f"{_FUNCTIONS[name]}({', '.join(self._bare(a) for a in arguments)})"
        raise TypeError(f"the language of arcs has no {type(node).__name__}")

    def _bare(self, node: Node) -> str:
        return without_brackets(self.write(node))

    def _computed(self, sign: str, one: Node, two: Node) -> str:
        if sign in _PLAIN and self._are_numbers(one, two):
            return f"whole({self.write(one)} {sign} {self.write(two)})"
        return f"{_CALLS[sign]}({self._bare(one)}, {self._bare(two)})"

    def _are_numbers(self, *nodes: Node) -> bool:
        return all(kind_of(node, self.kinds) is Kind.NUMBER for node in nodes)

    def _joined(self, sign: str, one: Node, two: Node) -> str:
        """Each side decides alone where the other one fails, as in CEL."""
        word, function = _JOINED[sign]
        if self._can_fail(one):
            sides = (f"lambda: {without_brackets(self.truth(side))}" for side in (one, two))
            return f"{function}({', '.join(sides)})"
        return f"({self._operand(one, sign)} {word} {self._operand(two, None)})"

    def _operand(self, node: Node, same: str | None) -> str:
        """Python for a side of ``and`` or ``or``, without the brackets that it does not need there."""
        text = self.truth(node)
        binds = isinstance(node, Unary) or (
            isinstance(node, Binary) and (node.sign in COMPARISONS or node.sign == same)
        )
        return without_brackets(text) if binds else text

    def _compared(self, sign: str, one: Node, two: Node) -> str:
        first, second = self.write(one), self.write(two)
        kinds = {kind_of(one, self.kinds), kind_of(two, self.kinds)}
        if kinds in ({Kind.NUMBER}, {Kind.TRUTH}):
            return f"({first} {sign} {second})"
        first, second = without_brackets(first), without_brackets(second)
        match sign:
            case "==":
                return f"same({first}, {second})"
            case "!=":
                return f"(not same({first}, {second}))"
        return f"(ordered({first}, {second}) {sign} 0)"

    def _can_fail(self, node: Node) -> bool:
        """Whether an expression may have no value though all its signals have one."""
        match node:
            case Literal() | Name():
                return kind_of(node, self.kinds) is not Kind.TRUTH
            case Unary("!", of):
                return self._can_fail(of)
            case Binary(sign, one, two) if sign in _JOINED:
                return self._can_fail(one) or self._can_fail(two)
            case Binary(sign, one, two) if sign in COMPARISONS:
                plain = all(isinstance(side, Literal | Name) for side in (one, two))
                kinds = {kind_of(one, self.kinds), kind_of(two, self.kinds)}
                return not (
                    plain and (kinds in ({Kind.NUMBER}, {Kind.TRUTH}) or sign in ("==", "!="))
                )
        return True


def without_brackets(text: str) -> str:
    """Return a text without the brackets around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
    return text
