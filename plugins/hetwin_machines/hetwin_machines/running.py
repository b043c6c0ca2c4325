"""Runs a network: step by step, with a line of what it was like after each cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hetwin_machines import cycle
from hetwin_machines.cycle import Cycles, Plan, Running, line_of, take_step
from hetwin_machines.expressions import operations
from hetwin_machines.expressions.operations import Value
from hetwin_machines.generation import plan_source, signal_kinds
from hetwin_machines.network import Advance, Machine, Network

Line = dict[str, Any]


class NetworkRun:
    """A network at work.

    Args:
        network: what is run.

    Attributes:
        cycles: the machines at work.
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
        """Take a step; yield a line after each of its cycles, see `cycle.take_step`."""
        return take_step(self.cycles, outside, self._signals)

    def advance(self, outside: Mapping[str, Value]) -> None:
        """Take a step without looking at its cycles."""
        cycles = self.cycles
        cycles.begin_step(outside)
        for _ in range(cycles.most_cycles):
            changed = cycles.next()
            changed = cycles.act() or changed
            if cycles.is_over or not changed:
                return

    def monitor(self) -> Line:
        """Return what all is like now, as `step` yields it; signals that were never set are None."""
        return line_of(self.cycles, self._signals)

    @property
    def outputs(self) -> dict[str, Value | None]:
        """The outputs; None for those that were never set."""
        return {name: self.cycles.signals.get(name) for name in self._network.outputs}


def _running(machine: Machine, plan: Plan) -> Running:
    sinks = frozenset(name for name, arcs in machine.states.items() if not arcs)
    return Running(
        machine.name, plan, machine.initial, machine.init, sinks, str(machine.on_inactive)
    )


def _plans(network: Network) -> dict[str, Plan]:
    """The functions of all machines, compiled from what the expressions were parsed into."""
    kinds = signal_kinds(network)
    names: dict[str, Any] = {**vars(operations), **vars(cycle)}
    for machine in network.machines:
        source = plan_source(machine, kinds)
        exec(compile(source, f"<plan of {machine.name}>", "exec"), names)
    return {machine.name: names[f"plan_{machine.name}"] for machine in network.machines}
