"""Possible values of signals, derived from a network's assignments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hetwin_machines.expressions.kinds import COMPARISONS, LOGICAL
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Arc, Network
from hetwin_suite.expressions import (
    Binary,
    Choice,
    Literal,
    Name,
    Node,
    Unary,
    parts_of,
)


@dataclass(frozen=True, slots=True)
class Domain:
    """Possible values of a signal.

    Attributes:
        booleans: possible booleans.
        numbers: possible single numbers.
        any_integer: whether any integer is possible.
        any_real: whether any real number is possible.
    """

    booleans: frozenset[bool] = frozenset()
    numbers: frozenset[int | float] = frozenset()
    any_integer: bool = False
    any_real: bool = False

    def __or__(self, other: Domain) -> Domain:
        return Domain(
            self.booleans | other.booleans,
            self.numbers | other.numbers,
            self.any_integer or other.any_integer,
            self.any_real or other.any_real,
        )

    @property
    def is_empty(self) -> bool:
        """Whether no value is possible."""
        return self == EMPTY


EMPTY = Domain()
BOOLEAN_DOMAIN = Domain(booleans=frozenset((True, False)))
NUMBER_DOMAIN = Domain(any_integer=True, any_real=True)
INTEGER_DOMAIN = Domain(any_integer=True)


def domains(network: Network) -> dict[str, Domain]:
    """Return signal -> its possible values; empty for signals that nothing sets."""
    boolean_signals = _boolean_signals(network)
    found = dict.fromkeys(network.signals, EMPTY)
    codes = _codes(network)
    found |= {
        name: BOOLEAN_DOMAIN
        if name in boolean_signals
        else INTEGER_DOMAIN
        if name in codes
        else NUMBER_DOMAIN
        for name in network.inputs
    }
    found |= dict.fromkeys(network.events, BOOLEAN_DOMAIN)
    for machine in network.machines:
        for name, value in machine.init.items():
            found[name] |= _single_value(value)
    assigned = [assignment for arc in _arcs(network) for assignment in arc.assignments.items()]
    while True:
        previous = dict(found)
        for name, expression in assigned:
            found[name] |= domain_of(expression.node, found)
        if found == previous:
            return found


def domain_of(node: Node, signals: Mapping[str, Domain]) -> Domain:
    """Return the possible values of an expression."""
    match node:
        case Literal(bool() | int() | float() as value):
            return _single_value(value)
        case Name(name):
            return signals.get(name, EMPTY)
        case Choice(_, yes, no):
            return domain_of(yes, signals) | domain_of(no, signals)
        case Unary("!"):
            return BOOLEAN_DOMAIN
        case Binary(sign) if sign in COMPARISONS | LOGICAL:
            return BOOLEAN_DOMAIN
    return _arithmetic_domain([domain_of(part, signals) for part in parts_of(node)])


def _arithmetic_domain(parts: list[Domain]) -> Domain:
    """Return the domain of an arithmetic result: any integer or real number, depending on the operands."""
    if any(part.is_empty for part in parts):
        return EMPTY
    any_real = any(
        part.any_real or any(isinstance(n, float) for n in part.numbers) for part in parts
    )
    return Domain(any_integer=not all(_is_real(part) for part in parts), any_real=any_real)


def _is_real(part: Domain) -> bool:
    return (
        part.any_real and not part.any_integer and all(isinstance(n, float) for n in part.numbers)
    )


def _single_value(value: Value) -> Domain:
    if isinstance(value, bool):
        return Domain(booleans=frozenset((value,)))
    return Domain(numbers=frozenset((value,)))


def _arcs(network: Network) -> Iterator[Arc]:
    for machine in network.machines:
        for arcs in machine.states.values():
            yield from arcs


def _codes(network: Network) -> set[str]:
    """Return the signals that are tested for equality with integers, and therefore are codes and no measurements."""
    codes: set[str] = set()
    measured: set[str] = set()
    for arc in _arcs(network):
        for expression in (arc.guard, *arc.assignments.values()):
            for sign, name, value in _literal_comparisons(expression.node):
                if isinstance(value, float):
                    measured.add(name)
                elif sign in ("==", "!="):
                    codes.add(name)
    return codes - measured


def _literal_comparisons(node: Node) -> Iterator[tuple[str, str, Value]]:
    match node:
        case Binary(sign, Name(name), Literal(bool() | int() | float() as value)) | Binary(
            sign, Literal(bool() | int() | float() as value), Name(name)
        ):
            yield sign, name, value
        case _:
            for part in parts_of(node):
                yield from _literal_comparisons(part)


def _boolean_signals(network: Network) -> set[str]:
    """Return the signals that must be booleans, by their use in guards or in assignments to boolean signals."""
    found: set[str] = set()
    for arc in _arcs(network):
        found |= set(booleans_in_guard(arc.guard.node))
        for expression in arc.assignments.values():
            found |= set(_booleans_in(expression.node))
    while True:
        new = {
            signal
            for arc in _arcs(network)
            for name, expression in arc.assignments.items()
            if name in found
            for signal in booleans_in_guard(expression.node)
        }
        if new <= found:
            return found
        found |= new


def booleans_in_guard(node: Node) -> Iterator[str]:
    """Iterate over the signals that must be booleans if an expression is a guard."""
    match node:
        case Name(name):
            yield name
        case Unary("!", operand):
            yield from booleans_in_guard(operand)
        case Binary(sign, left, right) if sign in LOGICAL:
            yield from booleans_in_guard(left)
            yield from booleans_in_guard(right)
        case Choice():
            for part in parts_of(node):
                yield from booleans_in_guard(part)
        case _:
            yield from _booleans_in(node)


def _booleans_in(node: Node) -> Iterator[str]:
    """Iterate over the signals that must be booleans in an expression of any type."""
    match node:
        case Unary("!", operand):
            yield from booleans_in_guard(operand)
        case Binary(sign, left, right) if sign in LOGICAL:
            yield from booleans_in_guard(left)
            yield from booleans_in_guard(right)
        case Choice(condition, yes, no):
            yield from booleans_in_guard(condition)
            yield from _booleans_in(yes)
            yield from _booleans_in(no)
        case _:
            for part in parts_of(node):
                yield from _booleans_in(part)
