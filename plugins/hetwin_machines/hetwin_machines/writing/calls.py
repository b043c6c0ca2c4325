"""Translate expressions to nested function calls, which all target languages have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from hetwin_machines.network import Network
from hetwin_suite.expressions import Binary, Call, Choice, Literal, Name, Node, Unary, names_of

_CALLS = {
    "+": "plus",
    "-": "minus",
    "*": "times",
    "/": "over",
    "%": "modulo",
    "&&": "both",
    "||": "either",
    "<": "less",
    "<=": "at_most",
    "==": "same",
}
_SWAPPED = {">": "less", ">=": "at_most"}
"""Operators that are written with swapped operands."""
_FUNCTIONS = {"min": "minimum", "max": "maximum"}


@dataclass(frozen=True)
class Calls:
    """Translates expressions.

    Attributes:
        literal: returns the code of a number or Boolean.
        signal: returns the code of a signal's value.
    """

    literal: Callable[[bool | int | float], str]
    signal: Callable[[str], str]

    def write(self, node: Node) -> str:
        """Return an expression as nested calls."""
        match node:
            case Literal(bool() | int() | float() as value):
                return self.literal(value)
            case Name(name):
                return self.signal(name)
            case Unary(sign, operand):
                return f"{'opposite' if sign == '!' else 'negative'}({self.write(operand)})"
            case Binary("!=", left, right):
                return f"opposite({self._binary('same', left, right)})"
            case Binary(sign, left, right) if sign in _SWAPPED:
                return self._binary(_SWAPPED[sign], right, left)
            case Binary(sign, left, right):
                return self._binary(_CALLS[sign], left, right)
            case Choice(condition, yes, no):
                return f"choice({self.write(condition)}, {self.write(yes)}, {self.write(no)})"
            case Call("abs", (operand,)):
                return f"magnitude({self.write(operand)})"
            case Call(name, arguments):
                function = _FUNCTIONS[name]
                return reduce(lambda a, b: f"{function}({a}, {b})", map(self.write, arguments))
        raise TypeError(f"the language of arcs has no {type(node).__name__}")

    def _binary(self, function: str, left: Node, right: Node) -> str:
        return f"{function}({self.write(left)}, {self.write(right)})"


def names_in(nodes: list[Node]) -> list[str]:
    """Return the names of the signals in some expressions, without duplicates."""
    return list(dict.fromkeys(name for node in nodes for name in names_of(node)))


def sinks_of(network: Network) -> dict[str, list[str]]:
    """Return machine -> its states without arcs."""
    return {
        machine.name: [name for name, arcs in machine.states.items() if not arcs]
        for machine in network.machines
    }
