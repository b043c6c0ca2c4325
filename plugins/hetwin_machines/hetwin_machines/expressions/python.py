"""Translate expressions to Python, from their syntax trees, so that no text of a user is executed."""

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
_CALLS = {"+": "plus", "-": "minus", "*": "times", "/": "over", "%": "modulo"}
_PLAIN = {"+", "-", "*"}
"""Operators that mean the same in Python if both operands are numbers."""
_FUNCTIONS = {"min": "minimum", "max": "maximum", "abs": "magnitude"}
_LOGICAL = {"&&": ("and", "both"), "||": ("or", "either")}


def local_name(signal: str) -> str:
    """Return the name of the Python variable that holds a signal."""
    plain = signal.rstrip("_")
    taken = plain in _TAKEN or keyword.iskeyword(plain) or _ARC.match(plain)
    return f"{signal}_" if taken else signal


@dataclass(frozen=True)
class Writer:
    """Translates expressions.

    Attributes:
        kinds: signal -> kind of its values.
    """

    kinds: Mapping[str, Kind]

    def truth(self, node: Node) -> str:
        """Return Python for an expression that must be true or false."""
        text = self.write(node)
        return (
            text if kind_of(node, self.kinds) is Kind.TRUTH else f"truth({without_brackets(text)})"
        )

    def write(self, node: Node) -> str:
        """Return Python for an expression, in brackets where these are needed."""
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
            case Binary(sign, one, two) if sign in _LOGICAL:
                return self._logical(sign, one, two)
            case Binary(sign, one, two) if sign in COMPARISONS:
                return self._comparison(sign, one, two)
            case Binary(sign, one, two):
                return self._arithmetic(sign, one, two)
            case Choice(condition, yes, no):
                return f"({self.write(yes)} if {self.truth(condition)} else {self.write(no)})"
            case Call(name, arguments):
                return f"{_FUNCTIONS[name]}({', '.join(self._bare(a) for a in arguments)})"
        raise TypeError(f"the language of arcs has no {type(node).__name__}")

    def _bare(self, node: Node) -> str:
        return without_brackets(self.write(node))

    def _arithmetic(self, sign: str, one: Node, two: Node) -> str:
        if sign in _PLAIN and self._are_numbers(one, two):
            return f"whole({self.write(one)} {sign} {self.write(two)})"
        return f"{_CALLS[sign]}({self._bare(one)}, {self._bare(two)})"

    def _are_numbers(self, *nodes: Node) -> bool:
        return all(kind_of(node, self.kinds) is Kind.NUMBER for node in nodes)

    def _logical(self, sign: str, one: Node, two: Node) -> str:
        """Return Python for ``&&`` or ``||``; if one side fails, the other may still decide, as in CEL."""
        word, function = _LOGICAL[sign]
        if self._can_fail(one):
            sides = (f"lambda: {without_brackets(self.truth(side))}" for side in (one, two))
            return f"{function}({', '.join(sides)})"
        return f"({self._operand(one, sign)} {word} {self._operand(two, None)})"

    def _operand(self, node: Node, same: str | None) -> str:
        """Return Python for one side of ``and`` or ``or``, without brackets that are not needed there."""
        text = self.truth(node)
        binds = isinstance(node, Unary) or (
            isinstance(node, Binary) and (node.sign in COMPARISONS or node.sign == same)
        )
        return without_brackets(text) if binds else text

    def _comparison(self, sign: str, one: Node, two: Node) -> str:
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
        """Return whether an expression may have no value although all its signals have one."""
        match node:
            case Literal() | Name():
                return kind_of(node, self.kinds) is not Kind.TRUTH
            case Unary("!", of):
                return self._can_fail(of)
            case Binary(sign, one, two) if sign in _LOGICAL:
                return self._can_fail(one) or self._can_fail(two)
            case Binary(sign, one, two) if sign in COMPARISONS:
                plain = all(isinstance(side, Literal | Name) for side in (one, two))
                kinds = {kind_of(one, self.kinds), kind_of(two, self.kinds)}
                return not (
                    plain and (kinds in ({Kind.NUMBER}, {Kind.TRUTH}) or sign in ("==", "!="))
                )
        return True


def without_brackets(text: str) -> str:
    """Return a text without the pair of brackets that encloses all of it, if there is one."""
    if not text.startswith("("):
        return text
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return text[1:-1] if at == len(text) - 1 else text
    return text
