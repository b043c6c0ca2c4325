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

_RESERVED = {name for name in vars(operations) if not name.startswith("_")} | {
    "s",
    "state",
    "fires",
}
_ARC = re.compile(r"arc_\d+\Z")
_CALLS = {"+": "plus", "-": "minus", "*": "times", "/": "over", "%": "modulo"}
_DIRECT_OPERATORS = {"+", "-", "*"}
"""Operators that mean the same in Python if both operands are numbers."""
_FUNCTIONS = {"min": "minimum", "max": "maximum", "abs": "magnitude"}
_LOGICAL = {"&&": ("and", "both"), "||": ("or", "either")}


def local_name(signal: str) -> str:
    """Return the name of the Python variable that holds a signal."""
    plain = signal.rstrip("_")
    reserved = plain in _RESERVED or keyword.iskeyword(plain) or _ARC.match(plain)
    return f"{signal}_" if reserved else signal


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
            case Unary("!", operand):
                return f"(not {self.truth(operand)})"
            case Unary(_, operand):
                are_numbers = self._are_numbers(operand)
                return (
                    f"whole(-{self.write(operand)})"
                    if are_numbers
                    else f"negative({self._unbracketed(operand)})"
                )
            case Binary(sign, left, right) if sign in _LOGICAL:
                return self._logical(sign, left, right)
            case Binary(sign, left, right) if sign in COMPARISONS:
                return self._comparison(sign, left, right)
            case Binary(sign, left, right):
                return self._arithmetic(sign, left, right)
            case Choice(condition, yes, no):
                return f"({self.write(yes)} if {self.truth(condition)} else {self.write(no)})"
            case Call(name, arguments):
                return f"{_FUNCTIONS[name]}({', '.join(self._unbracketed(a) for a in arguments)})"
        raise TypeError(f"the language of arcs has no {type(node).__name__}")

    def _unbracketed(self, node: Node) -> str:
        return without_brackets(self.write(node))

    def _arithmetic(self, sign: str, left: Node, right: Node) -> str:
        if sign in _DIRECT_OPERATORS and self._are_numbers(left, right):
            return f"whole({self.write(left)} {sign} {self.write(right)})"
        return f"{_CALLS[sign]}({self._unbracketed(left)}, {self._unbracketed(right)})"

    def _are_numbers(self, *nodes: Node) -> bool:
        return all(kind_of(node, self.kinds) is Kind.NUMBER for node in nodes)

    def _logical(self, sign: str, left: Node, right: Node) -> str:
        """Return Python for ``&&`` or ``||``; if one side fails, the other may still decide, as in CEL."""
        word, function = _LOGICAL[sign]
        if self._can_fail(left):
            sides = (f"lambda: {without_brackets(self.truth(side))}" for side in (left, right))
            return f"{function}({', '.join(sides)})"
        return f"({self._operand(left, sign)} {word} {self._operand(right, None)})"

    def _operand(self, node: Node, same: str | None) -> str:
        """Return Python for one side of ``and`` or ``or``, without brackets that are not needed there."""
        text = self.truth(node)
        binds = isinstance(node, Unary) or (
            isinstance(node, Binary) and (node.sign in COMPARISONS or node.sign == same)
        )
        return without_brackets(text) if binds else text

    def _comparison(self, sign: str, left: Node, right: Node) -> str:
        first, second = self.write(left), self.write(right)
        kinds = {kind_of(left, self.kinds), kind_of(right, self.kinds)}
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
            case Unary("!", operand):
                return self._can_fail(operand)
            case Binary(sign, left, right) if sign in _LOGICAL:
                return self._can_fail(left) or self._can_fail(right)
            case Binary(sign, left, right) if sign in COMPARISONS:
                are_simple = all(isinstance(side, Literal | Name) for side in (left, right))
                kinds = {kind_of(left, self.kinds), kind_of(right, self.kinds)}
                return not (
                    are_simple and (kinds in ({Kind.NUMBER}, {Kind.TRUTH}) or sign in ("==", "!="))
                )
        return True


def without_brackets(text: str) -> str:
    """Return a text without the pair of brackets that encloses all of it, if there is one."""
    if not text.startswith("("):
        return text
    depth = 0
    for index, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[1:-1] if index == len(text) - 1 else text
    return text
