"""Test cases for the guards of a state: signal values on both sides of every constant in comparisons."""

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

MAX_CASES = 20_000
"""Maximum number of cases; if there are more, this number is drawn at random."""

Case = dict[str, Value]


class Cases:
    """Cases for some guards.

    Args:
        guards: guards of one state.
        domains: possible values of the signals.

    Attributes:
        values: signal -> tested values, simplest first.
        is_exhaustive: whether the cases are exhaustive: a guard that holds in none of them can never hold.
    """

    def __init__(self, guards: Sequence[Node], domains: Mapping[str, Domain]) -> None:
        comparisons = [atom for guard in guards for atom in _comparisons(guard)]
        names = list(dict.fromkeys(name for guard in guards for name in names_of(guard)))
        groups = _groups(names, comparisons)
        self.values = {
            name: _representative_values(
                domains[name], *_constants(groups[name], comparisons, domains)
            )
            for name in names
        }
        self._count = math.prod(len(values) for values in self.values.values())
        self.is_exhaustive = (
            all(_is_simple(guard) for guard in guards) and 0 < self._count <= MAX_CASES
        )

    def __iter__(self) -> Iterator[Case]:
        """Iterate over the cases, simplest first."""
        names = list(self.values)
        if self._count <= MAX_CASES:
            combinations: Iterator[tuple[Value, ...]] = product(*self.values.values())
        else:
            rng = random.Random(0)
            combinations = islice(
                (tuple(rng.choice(v) for v in self.values.values()) for _ in iter(int, 1)),
                MAX_CASES,
            )
        for values in combinations:
            yield dict(zip(names, values, strict=True))


def _comparisons(node: Node) -> Iterator[Node]:
    if isinstance(node, Binary) and node.sign in COMPARISONS:
        yield node
        return
    for part in parts_of(node):
        yield from _comparisons(part)


def _is_simple(node: Node) -> bool:
    """Whether an expression only compares signals with each other and with numbers, so that few values suffice."""
    if isinstance(node, Binary) and node.sign in COMPARISONS:
        return all(isinstance(side, Name | Literal) for side in (node.left, node.right))
    if isinstance(node, Binary) and node.sign not in ("&&", "||"):
        return False
    return all(_is_simple(part) for part in parts_of(node))


def _groups(names: list[str], comparisons: list[Node]) -> dict[str, frozenset[str]]:
    """Return signal -> all signals with which it is compared, directly or transitively."""
    groups = {name: frozenset((name,)) for name in names}
    for comparison in comparisons:
        group = frozenset().union(*(groups[name] for name in names_of(comparison)))
        groups.update(dict.fromkeys(group, group))
    return groups


def _constants(
    group: frozenset[str], comparisons: list[Node], domains: Mapping[str, Domain]
) -> tuple[set[int | float], int]:
    """Return the numbers with which a group of signals is compared, and the size of the group."""
    numbers: set[int | float] = set()
    for comparison in comparisons:
        if not group.isdisjoint(names_of(comparison)):
            numbers |= set(_numbers(comparison))
    for name in group:
        numbers |= domains[name].numbers
    return numbers or {0}, len(group)


def _numbers(node: Node) -> Iterator[int | float]:
    yield from (n for part in walk(node) if (n := number_of(part)) is not None)


def _representative_values(
    domain: Domain, constants: set[int | float], signals: int
) -> list[Value]:
    """Return representative values of a signal: the constants, and enough values around them to order all signals."""
    numbers: set[int | float] = set(domain.numbers)
    steps = range(-signals, signals + 1)
    if domain.any_integer:
        numbers |= {
            edge + k for c in constants for edge in (math.floor(c), math.ceil(c)) for k in steps
        }
    if domain.any_real:
        numbers |= {c + k / (signals + 1) for c in constants for k in steps}
    return [*sorted(domain.booleans), *sorted(numbers, key=lambda n: (abs(n), n < 0, n != int(n)))]
