"""Cases that tell the guards of a state apart: values on both sides of everything that signals are compared with."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from hetwin_machines.checking.domains import Domain
from hetwin_machines.expressions.kinds import COMPARISONS
from hetwin_machines.expressions.operations import Value
from hetwin_suite.expressions import (
    Binary,
    Literal,
    Name,
    Node,
    names_of,
    number_of,
    parts_of,
    walk,
)

MOST = 20_000
"""So many cases are tried; of more than these, so many at random."""

Case = dict[str, Value]


class Cases:
    """Cases for some guards.

    Args:
        guards: of one state.
        domains: values that signals may have.

    Attributes:
        values: signal -> those that it is tried with, the plainest first.
        are_all: whether what holds in none of the cases cannot hold at all.
    """

    def __init__(self, guards: Sequence[Node], domains: Mapping[str, Domain]) -> None:
        atoms = [atom for guard in guards for atom in _comparisons(guard)]
        names = list(dict.fromkeys(name for guard in guards for name in names_of(guard)))
        groups = _groups(names, atoms)
        self.values = {
            name: _values_of(domains[name], *_constants(groups[name], atoms, domains))
            for name in names
        }
        self._count = math.prod(len(values) for values in self.values.values())
        self.are_all = all(_is_simple(guard) for guard in guards) and 0 < self._count <= MOST

    def __iter__(self) -> Iterator[Case]:
        """Iterate over the cases, the plainest first."""
        names = list(self.values)
        if self._count <= MOST:
            found: Iterator[tuple[Value, ...]] = product(*self.values.values())
        else:
            rng = random.Random(0)
            found = islice(
                (tuple(rng.choice(v) for v in self.values.values()) for _ in iter(int, 1)), MOST
            )
        for values in found:
            yield dict(zip(names, values, strict=True))


def _comparisons(node: Node) -> Iterator[Node]:
    if isinstance(node, Binary) and node.sign in COMPARISONS:
        yield node
        return
    for part in parts_of(node):
        yield from _comparisons(part)


def _is_simple(node: Node) -> bool:
    """Whether signals are compared with each other and with numbers only, so that some values stand for all."""
    if isinstance(node, Binary) and node.sign in COMPARISONS:
        return all(isinstance(side, Name | Literal) for side in (node.one, node.two))
    if isinstance(node, Binary) and node.sign not in ("&&", "||"):
        return False
    return all(_is_simple(part) for part in parts_of(node))


def _groups(names: list[str], atoms: list[Node]) -> dict[str, frozenset[str]]:
    """For each signal those that it is compared with, directly or by others."""
    groups = {name: frozenset((name,)) for name in names}
    for atom in atoms:
        joined = frozenset().union(*(groups[name] for name in names_of(atom)))
        groups.update(dict.fromkeys(joined, joined))
    return groups


def _constants(
    group: frozenset[str], atoms: list[Node], domains: Mapping[str, Domain]
) -> tuple[set[int | float], int]:
    """Numbers that a group of signals is compared with, and how many signals it has."""
    numbers: set[int | float] = set()
    for atom in atoms:
        if not group.isdisjoint(names_of(atom)):
            numbers |= set(_numbers(atom))
    for name in group:
        numbers |= domains[name].numbers
    return numbers or {0}, len(group)


def _numbers(node: Node) -> Iterator[int | float]:
    yield from (n for part in walk(node) if (n := number_of(part)) is not None)


def _values_of(domain: Domain, constants: set[int | float], signals: int) -> list[Value]:
    """Values that stand for all that a signal may have: each constant, and enough between them for all signals."""
    numbers: set[int | float] = set(domain.numbers)
    steps = range(-signals, signals + 1)
    if domain.whole:
        numbers |= {
            edge + k for c in constants for edge in (math.floor(c), math.ceil(c)) for k in steps
        }
    if domain.real:
        numbers |= {c + k / (signals + 1) for c in constants for k in steps}
    return [*sorted(domain.truths), *sorted(numbers, key=lambda n: (abs(n), n < 0, n != int(n)))]
