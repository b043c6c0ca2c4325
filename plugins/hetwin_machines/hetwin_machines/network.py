"""A network of state machines, as it was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal as OneOf

from hetwin_machines.expressions.operations import Value
from hetwin_suite.expressions import Node, names_of

TOP = "TOP"
"""Target of an arc that takes the top off the stack."""
ALL = "all"


class OnInactive(StrEnum):
    """What follows when a machine is in a sink or a fault."""

    STAY = "stay"
    END = "end"
    STOP = "stop"
    RESET = "reset"


class Advance(StrEnum):
    """How many cycles a step has: until nothing changes, or one."""

    SETTLED = "settled"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression and its text."""

    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Arc:
    """A way from one state to another.

    Attributes:
        guard: fires when it is true; ``if`` in the file.
        assignments: what signals are from the next cycle on; ``do``.
        pop: how many states are taken off the stack first; `ALL` for all.
        push: states that are put on the stack then, the last on top.
        to: the next state, or `TOP`.
    """

    guard: Expression
    assignments: Mapping[str, Expression]
    pop: int | OneOf["all"]
    push: tuple[str, ...]
    to: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine with a data store and a stack (EFS2M; Machines 2026, 14(3), 273, section 3.1).

    Attributes:
        name: of the machine.
        initial: state at the beginning.
        init: signals that have values from the beginning.
        states: arcs of each state, in the order of the file; none: a sink.
        on_inactive: what follows in a sink or a fault.
    """

    name: str
    initial: str
    init: Mapping[str, Value]
    states: Mapping[str, tuple[Arc, ...]]
    on_inactive: OnInactive

    @property
    def sets(self) -> frozenset[str]:
        """Names of the signals that the machine sets."""
        arcs = (arc for arcs in self.states.values() for arc in arcs)
        return frozenset(self.init) | {name for arc in arcs for name in arc.assignments}


@dataclass(frozen=True, slots=True)
class Network:
    """Machines that go on together, with the signals between them.

    Attributes:
        inputs: signals from outside, which hold their last value.
        events: signals from outside, true only in the first cycle of a step.
        outputs: signals for outside, read from what machines set.
        advance: how many cycles a step has.
        max_cycles: at most in one step.
        machines: in the order of the file, which changes nothing.
    """

    inputs: tuple[str, ...]
    events: tuple[str, ...]
    outputs: tuple[str, ...]
    advance: Advance
    max_cycles: int
    machines: tuple[Machine, ...]

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all signals that have a value at some time, or are read: inputs, events, then the others sorted."""
        named: set[str] = set(self.outputs)
        for machine in self.machines:
            named |= machine.sets
            for arcs in machine.states.values():
                for arc in arcs:
                    for expression in (arc.guard, *arc.assignments.values()):
                        named.update(names_of(expression.node))
        outside = (*self.inputs, *self.events)
        return (*outside, *sorted(named - set(outside)))
