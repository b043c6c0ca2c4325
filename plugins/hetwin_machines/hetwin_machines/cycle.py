"""The cycles of a network: sense, plan, update, act. Generated code contains this module, too.

All machines plan with the present signals, and the values that they set become visible in the next cycle. Therefore the
order of the machines does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hetwin_machines.expressions.operations import Failed, Value

TOP = "TOP"
INCOMPLETE = "__INCOMPLETE__"
NON_DETERMINISTIC = "__NON-DETERMINISTIC__"
UNDEFINED = "__UNDEFINED__"
CONFLICT = "__CONFLICT__"
FAULTS = (INCOMPLETE, NON_DETERMINISTIC, UNDEFINED, CONFLICT)
POP_ALL = -1
"""Number of popped states that stands for ``pop: all``."""

_FAULTS = frozenset(FAULTS)

Transition = tuple[Mapping[str, Value], int, tuple[str, ...], str]
"""A chosen transition: values of signals, number of popped states, pushed states, and next state."""
Plan = Callable[[str, Mapping[str, Value]], "Transition | str | None"]
"""Function (state, signals) that returns a transition, a fault, or None in a sink."""


@dataclass
class RunningMachine:
    """A running machine.

    Attributes:
        name: name of the machine.
        plan: returns its next transition.
        initial: initial state.
        init: initial values of signals.
        sinks: states without arcs.
        on_inactive: reaction to a sink or a fault: stay, end, stop or reset.
        state: present state.
        stack: stack of states, the top last.
        stopped: whether it has been stopped.
    """

    name: str
    plan: Plan
    initial: str
    init: Mapping[str, Value]
    sinks: frozenset[str]
    on_inactive: str = "stay"
    state: str = ""
    stack: list[str] = field(default_factory=list)
    stopped: bool = False

    @property
    def is_inactive(self) -> bool:
        """Whether it is in a sink or a fault."""
        return self.state in self.sinks or self.state in FAULTS


class Cycles:
    """Executes the cycles of a network.

    Args:
        machines: all machines.
        inputs: external signals that hold their value.
        events: external signals that are true only in the first cycle of a step.
        settled: whether a step ends with the first cycle in which nothing changes; otherwise after one cycle.
        max_cycles: maximum number of cycles in one step.

    Attributes:
        signals: present values of the signals that have been set.
        cycle: number of the last cycle, from 1.
        step: number of the present step, from 0; -1 before the first.
        is_over: whether a machine has ended the run.
    """

    def __init__(
        self,
        machines: list[RunningMachine],
        inputs: tuple[str, ...],
        events: tuple[str, ...],
        *,
        settled: bool,
        max_cycles: int,
    ) -> None:
        self.machines = machines
        self.inputs = inputs
        self.events = events
        self.cycle_limit = max_cycles if settled else 1
        self.signals: dict[str, Value] = {}
        self.cycle = 0
        self.step = -1
        self.is_over = False
        self._reacting = [m for m in machines if m.on_inactive != "stay"]
        for machine in machines:
            self._begin(machine)

    def begin_step(self, outside: Mapping[str, Value]) -> None:
        """Set inputs and events; inputs that are not given hold their value, events that are not given are false."""
        self.step += 1
        for name in self.inputs:
            if name in outside:
                self.signals[name] = outside[name]
        for name in self.events:
            self.signals[name] = bool(outside.get(name, False))

    def next(self) -> bool:
        """Execute one cycle; return whether it has changed a state, a stack or an internal signal."""
        self.cycle += 1
        transitions: list[tuple[RunningMachine, Transition]] = []
        changed = False
        for machine in self.machines:
            state = machine.state
            if machine.stopped or state in _FAULTS:
                continue
            try:
                transition = machine.plan(state, self.signals)
            except (KeyError, Failed):
                transition = UNDEFINED
            if transition is None:
                continue
            if isinstance(transition, str) or lacks_states(machine.stack, transition):
                machine.state = transition if isinstance(transition, str) else INCOMPLETE
                changed = True
            elif transition[0]:
                transitions.append((machine, transition))
            elif self._move(machine, transition):  # states are not visible to other machines
                changed = True
        return (self._update(transitions) if transitions else False) or changed

    def act(self) -> bool:
        """Reset events, and apply `on_inactive` to machines in a sink or fault; return whether a machine was reset."""
        for name in self.events:
            self.signals[name] = False
        changed = False
        for machine in self._reacting:
            if not machine.is_inactive:
                continue
            if machine.on_inactive == "end":
                self.is_over = True
            elif machine.on_inactive == "stop":
                machine.stopped = True
            elif self._begin(machine):
                changed = True
        return changed

    def _begin(self, machine: RunningMachine) -> bool:
        """Reset a machine to its initial state; return whether this changes anything."""
        changed = machine.state != machine.initial or bool(machine.stack)
        machine.state = machine.initial
        machine.stack = []
        for name, value in machine.init.items():
            changed = changed or name not in self.signals or differs(self.signals[name], value)
            self.signals[name] = value
        return changed

    def _update(self, transitions: list[tuple[RunningMachine, Transition]]) -> bool:
        """Execute the chosen transitions simultaneously; return whether anything has changed."""
        values: dict[str, Value] = {}
        count = 0
        for _, transition in transitions:
            values.update(transition[0])
            count += len(transition[0])
        changed = False
        if len(values) < count:
            values, transitions, changed = self._resolve_conflicts(transitions)
        if self._set(values):
            changed = True
        for machine, transition in transitions:
            if self._move(machine, transition):
                changed = True
        return changed

    def _resolve_conflicts(
        self, chosen: list[tuple[RunningMachine, Transition]]
    ) -> tuple[dict[str, Value], list[tuple[RunningMachine, Transition]], bool]:
        """Put machines that set a signal to different values into a fault.

        Returns:
            The values that the other machines set, these machines with their transitions, and whether any failed.
        """
        _, disputed = agreed(transition[0] for _, transition in chosen)
        valid = [
            (machine, transition)
            for machine, transition in chosen
            if disputed.isdisjoint(transition[0])
        ]
        for machine, transition in chosen:
            if not disputed.isdisjoint(transition[0]):
                machine.state = CONFLICT
        values, _ = agreed(transition[0] for _, transition in valid)
        return values, valid, len(valid) < len(chosen)

    def _set(self, values: Mapping[str, Value]) -> bool:
        """Set signals; return whether one has changed (always False if a step has only one cycle)."""
        signals = self.signals
        if self.cycle_limit == 1:
            signals.update(values)
            return False
        changed = False
        for name, value in values.items():
            old = signals.get(name)
            if old is not value and (old is None or differs(old, value)):
                signals[name] = value
                changed = True
        return changed

    def _move(self, machine: RunningMachine, transition: Transition) -> bool:
        """Execute a machine's transition; return whether its state or stack has changed."""
        _, pops, pushes, to = transition
        previous = machine.state
        if not (pops or pushes or to == TOP):
            machine.state = to
            return to != previous
        stack = machine.stack
        new_stack = [*stack[: 0 if pops == POP_ALL else len(stack) - pops], *pushes]
        machine.state = new_stack.pop() if to == TOP else to
        machine.stack = new_stack
        return new_stack != stack or machine.state != previous


def take_step(
    cycles: Cycles, outside: Mapping[str, Value], signals: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Execute a step; yield a line after each of its cycles, see `line_of`.

    Args:
        cycles: cycles of the network.
        outside: values of inputs and events; inputs that are not given hold their value.
        signals: names of the signals in the lines.
    """
    cycles.begin_step(outside)
    for _ in range(cycles.cycle_limit):
        changed = cycles.next()
        yield line_of(cycles, signals)
        changed = cycles.act() or changed
        if cycles.is_over or not changed:
            return


def line_of(cycles: Cycles, signals: Sequence[str]) -> dict[str, Any]:
    """Return cycle, step, states, stacks and signals; None for a signal that was never set."""
    return {
        "cycle": cycles.cycle,
        "step": cycles.step,
        "machines": {m.name: {"state": m.state, "stack": list(m.stack)} for m in cycles.machines},
        "signals": {name: cycles.signals.get(name) for name in signals},
    }


def agreed(assignments: Iterable[Mapping[str, Value]]) -> tuple[dict[str, Value], set[str]]:
    """Return the new values of signals, and the names of signals that two machines set to different values.

    An integer and an equal real number do not conflict: the signal becomes real.
    """
    values: dict[str, Value] = {}
    disputed: set[str] = set()
    for values_of_machine in assignments:
        for name, value in values_of_machine.items():
            if name not in values:
                values[name] = value
            elif values[name] != value or is_truth(values[name]) is not is_truth(value):
                disputed.add(name)
            elif value.__class__ is float:
                values[name] = value
    return values, disputed


def lacks_states(stack: list[str], transition: Transition) -> bool:
    """Return whether a transition pops more states than are on the stack."""
    _, pops, pushes, to = transition
    if pops == 0 and to != TOP:
        return False
    depth = 0 if pops == POP_ALL else len(stack) - pops
    return depth < 0 or (to == TOP and depth + len(pushes) == 0)


def is_truth(value: Value) -> bool:
    """Return whether a value is a boolean."""
    return value is True or value is False


def differs(old: Value, new: Value) -> bool:
    """Return whether two values differ in value or type."""
    return old != new or old.__class__ is not new.__class__
