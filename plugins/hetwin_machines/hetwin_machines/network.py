"""Data classes for a network of state machines, as read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal as OneOf

from hetwin_machines.expressions.operations import Value
from hetwin_suite.expressions import Node, names_of

TOP = "TOP"
"""Target of an arc that leads to the state on top of the stack and removes it from the stack."""
ALL = "all"


class OnInactive(StrEnum):
    """What happens when a machine is in a sink or a fault."""

    STAY = "stay"
    END = "end"
    STOP = "stop"
    RESET = "reset"


class Advance(StrEnum):
    """How many cycles a step has: as many as needed until nothing changes, or one."""

    SETTLED = "settled"
    ONCE = "once"


@dataclass(frozen=True, slots=True)
class Expression:
    """The text and the syntax tree of an expression."""

    text: str
    node: Node


@dataclass(frozen=True, slots=True)
class Arc:
    """A transition from one state to another.

    Attributes:
        guard: condition under which the arc fires; ``if`` in the file.
        assignments: signal -> its value from the next cycle on; ``do`` in the file.
        pop: number of states to remove from the stack first; `ALL` for all.
        push: states to put on the stack afterwards; the last one is the top.
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
        name: name of the machine.
        initial: initial state.
        init: signal -> its initial value.
        states: state -> its arcs, in the order of the file; a state without arcs is a sink.
        on_inactive: what happens in a sink or a fault.
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
    """Machines that run synchronously, with the signals between them.

    Attributes:
        inputs: external signals that keep their last value.
        events: external signals that are true only in the first cycle of a step.
        outputs: signals set by machines that are visible outside.
        advance: how many cycles a step has.
        max_cycles: maximum number of cycles in a step.
        machines: machines in the order of the file, which does not influence the behaviour.
    """

    inputs: tuple[str, ...]
    events: tuple[str, ...]
    outputs: tuple[str, ...]
    advance: Advance
    max_cycles: int
    machines: tuple[Machine, ...]

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of all signals that are set or read: the inputs, the events, then all others in alphabetical order."""
        named: set[str] = set(self.outputs)
        for machine in self.machines:
            named |= machine.sets
            for arcs in machine.states.values():
                for arc in arcs:
                    for expression in (arc.guard, *arc.assignments.values()):
                        named.update(names_of(expression.node))
        outside = (*self.inputs, *self.events)
        return (*outside, *sorted(named - set(outside)))
