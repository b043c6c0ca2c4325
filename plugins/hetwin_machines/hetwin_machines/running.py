"""Run a network step by step; each cycle gives a line with the states of the machines and the signals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hetwin_machines import cycle
from hetwin_machines.cycle import Cycles, Plan, RunningMachine, differs, line_of, take_step
from hetwin_machines.expressions import operations
from hetwin_machines.expressions.operations import Failed, Value
from hetwin_machines.generation import plan_source, signal_kinds
from hetwin_machines.network import Advance, Machine, Network

Line = dict[str, Any]


class NetworkRun:
    """A running network.

    Args:
        network: the network to be run.

    Attributes:
        cycles: the running machines.
        is_over: whether a machine has ended the run.
    """

    def __init__(self, network: Network) -> None:
        plans = _plans(network)
        self._network = network
        self.cycles = Cycles(
            [_running(machine, plans[machine.name]) for machine in network.machines],
            network.inputs,
            network.events,
            settled=network.advance is Advance.SETTLED,
            max_cycles=network.max_cycles,
        )
        self._signals = network.signals

    @property
    def is_over(self) -> bool:
        """Whether a machine has ended the run."""
        return self.cycles.is_over

    def step(self, outside: Mapping[str, Value]) -> Iterator[Line]:
        """Execute a step; yield a line after each of its cycles, see `cycle.take_step`."""
        return take_step(self.cycles, outside, self._signals)

    def advance(self, outside: Mapping[str, Value]) -> None:
        """Execute a step without recording its cycles."""
        cycles = self.cycles
        cycles.begin_step(outside)
        for _ in range(cycles.cycle_limit):
            changed = cycles.next()
            changed = cycles.act() or changed
            if cycles.is_over or not changed:
                return

    def monitor(self) -> Line:
        """Return the current states and signals as a line like those of `step`; signals never set are None."""
        return line_of(self.cycles, self._signals)

    def blocked(self) -> dict[str, bool]:
        """Return for each machine whether only an event or a change of a signal can make it continue.

        A machine is blocked in a sink or a fault, and if its next cycle would not change it.
        """
        signals = {**self.cycles.signals, **dict.fromkeys(self._network.events, False)}
        return {m.name: m.stopped or _is_waiting(m, signals) for m in self.cycles.machines}

    @property
    def outputs(self) -> dict[str, Value | None]:
        """The outputs; None for those that were never set."""
        return {name: self.cycles.signals.get(name) for name in self._network.outputs}


def _is_waiting(machine: RunningMachine, signals: Mapping[str, Value]) -> bool:
    """Return whether a cycle with these signals would not change a machine."""
    if machine.is_inactive:
        return True
    try:
        transition = machine.plan(machine.state, signals)
    except (KeyError, Failed):
        return False
    if transition is None or isinstance(transition, str):
        return transition is None
    values, pops, pushes, to = transition
    is_unchanged = all(n in signals and not differs(signals[n], v) for n, v in values.items())
    return is_unchanged and to == machine.state and not (pops or pushes)


def _running(machine: Machine, plan: Plan) -> RunningMachine:
    sinks = frozenset(name for name, arcs in machine.states.items() if not arcs)
    return RunningMachine(
        machine.name, plan, machine.initial, machine.init, sinks, str(machine.on_inactive)
    )


def _plans(network: Network) -> dict[str, Plan]:
    """Return machine -> its compiled function, generated from the syntax trees of its expressions."""
    kinds = signal_kinds(network)
    names: dict[str, Any] = {**vars(operations), **vars(cycle)}
    for machine in network.machines:
        source = plan_source(machine, kinds)
        exec(compile(source, f"<plan of {machine.name}>", "exec"), names)
    return {machine.name: names[f"plan_{machine.name}"] for machine in network.machines}
