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
        truths: possible booleans.
        numbers: possible single numbers.
        whole: whether any integer is possible.
        real: whether any real number is possible.
    """

    truths: frozenset[bool] = frozenset()
    numbers: frozenset[int | float] = frozenset()
    whole: bool = False
    real: bool = False

    def __or__(self, other: Domain) -> Domain:
        return Domain(
            self.truths | other.truths,
            self.numbers | other.numbers,
            self.whole or other.whole,
            self.real or other.real,
        )

    @property
    def is_empty(self) -> bool:
        """Whether no value is possible."""
        return self == NOTHING


NOTHING = Domain()
TRUTHS = Domain(truths=frozenset((True, False)))
NUMBERS = Domain(whole=True, real=True)
CODES = Domain(whole=True)


def domains(network: Network) -> dict[str, Domain]:
    """Return signal -> its possible values; empty for signals that nothing sets."""
    truths = _used_as_truths(network)
    found = dict.fromkeys(network.signals, NOTHING)
    codes = _codes(network)
    found |= {
        name: TRUTHS if name in truths else CODES if name in codes else NUMBERS
        for name in network.inputs
    }
    found |= dict.fromkeys(network.events, TRUTHS)
    for machine in network.machines:
        for name, value in machine.init.items():
            found[name] |= _only(value)
    assigned = [item for arc in _arcs(network) for item in arc.assignments.items()]
    while True:
        before = dict(found)
        for name, expression in assigned:
            found[name] |= domain_of(expression.node, found)
        if found == before:
            return found


def domain_of(node: Node, signals: Mapping[str, Domain]) -> Domain:
    """Return the possible values of an expression."""
    match node:
        case Literal(bool() | int() | float() as value):
            return _only(value)
        case Name(name):
            return signals.get(name, NOTHING)
        case Choice(_, yes, no):
            return domain_of(yes, signals) | domain_of(no, signals)
        case Unary("!"):
            return TRUTHS
        case Binary(sign) if sign in COMPARISONS | LOGICAL:
            return TRUTHS
    return _computed([domain_of(part, signals) for part in parts_of(node)])


def _computed(parts: list[Domain]) -> Domain:
    """Return the domain of an arithmetic result: any integer or real number, depending on the operands."""
    if any(part.is_empty for part in parts):
        return NOTHING
    real = any(part.real or any(isinstance(n, float) for n in part.numbers) for part in parts)
    return Domain(whole=not all(_is_real(part) for part in parts), real=real)


def _is_real(part: Domain) -> bool:
    return part.real and not part.whole and all(isinstance(n, float) for n in part.numbers)


def _only(value: Value) -> Domain:
    if isinstance(value, bool):
        return Domain(truths=frozenset((value,)))
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
            for sign, name, value in _compared(expression.node):
                if isinstance(value, float):
                    measured.add(name)
                elif sign in ("==", "!="):
                    codes.add(name)
    return codes - measured


def _compared(node: Node) -> Iterator[tuple[str, str, Value]]:
    match node:
        case Binary(sign, Name(name), Literal(bool() | int() | float() as value)) | Binary(
            sign, Literal(bool() | int() | float() as value), Name(name)
        ):
            yield sign, name, value
        case _:
            for part in parts_of(node):
                yield from _compared(part)


def _used_as_truths(network: Network) -> set[str]:
    """Return the signals that must be booleans, by their use in guards or in assignments to boolean signals."""
    found: set[str] = set()
    for arc in _arcs(network):
        found |= set(truths_in(arc.guard.node))
        for expression in arc.assignments.values():
            found |= set(_inside(expression.node))
    while True:
        more = {
            signal
            for arc in _arcs(network)
            for name, expression in arc.assignments.items()
            if name in found
            for signal in truths_in(expression.node)
        }
        if more <= found:
            return found
        found |= more


def truths_in(node: Node) -> Iterator[str]:
    """Iterate over the signals that must be booleans if an expression is a guard."""
    match node:
        case Name(name):
            yield name
        case Unary("!", of):
            yield from truths_in(of)
        case Binary(sign, one, two) if sign in LOGICAL:
            yield from truths_in(one)
            yield from truths_in(two)
        case Choice():
            for part in parts_of(node):
                yield from truths_in(part)
        case _:
            yield from _inside(node)


def _inside(node: Node) -> Iterator[str]:
    """Iterate over the signals that must be booleans in an expression of any type."""
    match node:
        case Unary("!", of):
            yield from truths_in(of)
        case Binary(sign, one, two) if sign in LOGICAL:
            yield from truths_in(one)
            yield from truths_in(two)
        case Choice(condition, yes, no):
            yield from truths_in(condition)
            yield from _inside(yes)
            yield from _inside(no)
        case _:
            for part in parts_of(node):
                yield from _inside(part)
