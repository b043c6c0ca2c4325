"""The cycles of a network: sense, plan, update, act; part of the written code too, which needs no library.

All machines plan by what is now; what they set counts from the next cycle on. So their order changes nothing.
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
ALL_OF_IT = -1
"""So many states are popped by ``pop: all``."""

_FAULTS = frozenset(FAULTS)

Go = tuple[Mapping[str, Value], int, tuple[str, ...], str]
"""What an arc does: signals that it sets, states that it pops, states that it pushes, and where it leads."""
Plan = Callable[[str, Mapping[str, Value]], "Go | str | None"]
"""What a machine does in a state by the signals: an arc, a fault, or nothing, in a sink."""


@dataclass
class Running:
    """A machine at work.

    Attributes:
        name: of the machine.
        plan: says what it does next.
        initial: its first state.
        init: signals that it sets at the beginning.
        sinks: states that it never leaves.
        on_inactive: what follows in a sink or a fault: stay, end, stop or reset.
        state: where it is.
        stack: states that it will come back to, the top last.
        stopped: whether it takes no part any more.
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
    """Takes a network from cycle to cycle.

    Args:
        machines: all of them.
        inputs: signals from outside that hold their value.
        events: signals from outside that are true in the first cycle of a step only.
        settled: whether a step ends with the first cycle in which nothing changes; else after one cycle.
        max_cycles: at most in one step.

    Attributes:
        signals: those that have a value now.
        cycle: number of the last cycle, from 1.
        step: number of the present step, from 0; -1 before the first.
        is_over: whether a machine has ended the run.
    """

    def __init__(
        self,
        machines: list[Running],
        inputs: tuple[str, ...],
        events: tuple[str, ...],
        *,
        settled: bool,
        max_cycles: int,
    ) -> None:
        self.machines = machines
        self.inputs = inputs
        self.events = events
        self.most_cycles = max_cycles if settled else 1
        self.signals: dict[str, Value] = {}
        self.cycle = 0
        self.step = -1
        self.is_over = False
        self._looked_after = [m for m in machines if m.on_inactive != "stay"]
        for machine in machines:
            self._begin(machine)

    def begin_step(self, outside: Mapping[str, Value]) -> None:
        """Take in inputs and events; inputs that are not given hold their value, such events are absent."""
        self.step += 1
        for name in self.inputs:
            if name in outside:
                self.signals[name] = outside[name]
        for name in self.events:
            self.signals[name] = bool(outside.get(name, False))

    def next(self) -> bool:
        """Take one cycle; return whether anything that is not from outside has changed in it."""
        self.cycle += 1
        chosen: list[tuple[Running, Go]] = []
        changed = False
        for machine in self.machines:
            state = machine.state
            if machine.stopped or state in _FAULTS:
                continue
            try:
                go = machine.plan(state, self.signals)
            except (KeyError, Failed):
                go = UNDEFINED
            if go is None:
                continue
            if isinstance(go, str) or lacks_states(machine.stack, go):
                machine.state = go if isinstance(go, str) else INCOMPLETE
                changed = True
            elif go[0]:
                chosen.append((machine, go))
            elif self._move(machine, go):  # nobody sees a state, so it may change at once
                changed = True
        return (self._update(chosen) if chosen else False) or changed

    def act(self) -> bool:
        """End events, and treat machines in a sink or a fault as they want; return whether that changes anything."""
        for name in self.events:
            self.signals[name] = False
        anew = False
        for machine in self._looked_after:
            if not machine.is_inactive:
                continue
            if machine.on_inactive == "end":
                self.is_over = True
            elif machine.on_inactive == "stop":
                machine.stopped = True
            elif self._begin(machine):
                anew = True
        return anew

    def _begin(self, machine: Running) -> bool:
        """Let a machine begin; return whether anything is another than before."""
        anew = machine.state != machine.initial or bool(machine.stack)
        machine.state = machine.initial
        machine.stack = []
        for name, value in machine.init.items():
            anew = anew or name not in self.signals or differs(self.signals[name], value)
            self.signals[name] = value
        return anew

    def _update(self, chosen: list[tuple[Running, Go]]) -> bool:
        """Let all machines do at once what they have chosen; return whether anything has changed."""
        values: dict[str, Value] = {}
        count = 0
        for _, go in chosen:
            values.update(go[0])
            count += len(go[0])
        changed = False
        if len(values) < count:
            values, chosen, changed = self._agree(chosen)
        if self._set(values):
            changed = True
        for machine, go in chosen:
            if self._move(machine, go):
                changed = True
        return changed

    def _agree(
        self, chosen: list[tuple[Running, Go]]
    ) -> tuple[dict[str, Value], list[tuple[Running, Go]], bool]:
        """Let machines fail that want different values; return what the others set, these, and whether some failed."""
        _, disputed = agreed(go[0] for _, go in chosen)
        left = [(machine, go) for machine, go in chosen if disputed.isdisjoint(go[0])]
        for machine, go in chosen:
            if not disputed.isdisjoint(go[0]):
                machine.state = CONFLICT
        values, _ = agreed(go[0] for _, go in left)
        return values, left, len(left) < len(chosen)

    def _set(self, values: Mapping[str, Value]) -> bool:
        """Set signals; return whether one has changed, for which only steps of several cycles ask."""
        signals = self.signals
        if self.most_cycles == 1:
            signals.update(values)
            return False
        changed = False
        for name, value in values.items():
            old = signals.get(name)
            if old is not value and (old is None or differs(old, value)):
                signals[name] = value
                changed = True
        return changed

    def _move(self, machine: Running, go: Go) -> bool:
        """Let a machine go to where an arc leads; return whether state or stack has changed."""
        _, pops, pushes, to = go
        before = machine.state
        if not (pops or pushes or to == TOP):
            machine.state = to
            return to != before
        stack = machine.stack
        left = [*stack[: 0 if pops == ALL_OF_IT else len(stack) - pops], *pushes]
        machine.state = left.pop() if to == TOP else to
        machine.stack = left
        return left != stack or machine.state != before


def take_step(
    cycles: Cycles, outside: Mapping[str, Value], signals: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Take a step; yield after each of its cycles what all was like.

    Args:
        cycles: of the network.
        outside: values of inputs, and whether events happen; inputs that are not given hold their value.
        signals: names of those that are shown; those that were never set are None.
    """
    cycles.begin_step(outside)
    for _ in range(cycles.most_cycles):
        changed = cycles.next()
        yield line_of(cycles, signals)
        changed = cycles.act() or changed
        if cycles.is_over or not changed:
            return


def line_of(cycles: Cycles, signals: Sequence[str]) -> dict[str, Any]:
    """Return what all is like: number of cycle and step, states, stacks, signals."""
    return {
        "cycle": cycles.cycle,
        "step": cycles.step,
        "machines": {m.name: {"state": m.state, "stack": list(m.stack)} for m in cycles.machines},
        "signals": {name: cycles.signals.get(name) for name in signals},
    }


def agreed(assignments: Iterable[Mapping[str, Value]]) -> tuple[dict[str, Value], set[str]]:
    """Return the new values of signals, and the names of those for which two machines want different ones.

    A whole number and the equal real one are no dispute: the signal becomes real.
    """
    values: dict[str, Value] = {}
    disputed: set[str] = set()
    for each in assignments:
        for name, value in each.items():
            if name not in values:
                values[name] = value
            elif values[name] != value or is_truth(values[name]) is not is_truth(value):
                disputed.add(name)
            elif value.__class__ is float:
                values[name] = value
    return values, disputed


def lacks_states(stack: list[str], go: Go) -> bool:
    """Return whether an arc takes more states off a stack than are on it."""
    _, pops, pushes, to = go
    if pops == 0 and to != TOP:
        return False
    left = 0 if pops == ALL_OF_IT else len(stack) - pops
    return left < 0 or (to == TOP and left + len(pushes) == 0)


def is_truth(value: Value) -> bool:
    """Return whether a value is true or false, and no number."""
    return value is True or value is False


def differs(old: Value, new: Value) -> bool:
    """Return whether two values are not the same, a whole number and a real one included."""
    return old != new or old.__class__ is not new.__class__
