"""Runs a network: step by step, with a line of what it was like after each cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hetwin_machines import cycle
from hetwin_machines.cycle import Cycles, Plan, Running, differs, line_of, take_step
from hetwin_machines.expressions import operations
from hetwin_machines.expressions.operations import Failed, Value
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

    def blocked(self) -> dict[str, bool]:
        """Return for each machine whether it does not go on by itself: until an event, or until a signal is another.

        One in a sink or a fault is blocked, and so is one whose next cycle would change nothing of it.
        """
        quiet = {**self.cycles.signals, **dict.fromkeys(self._network.events, False)}
        return {m.name: m.stopped or _stays(m, quiet) for m in self.cycles.machines}

    @property
    def outputs(self) -> dict[str, Value | None]:
        """The outputs; None for those that were never set."""
        return {name: self.cycles.signals.get(name) for name in self._network.outputs}


def _stays(machine: Running, signals: Mapping[str, Value]) -> bool:
    """Whether a cycle with these signals changes nothing of a machine."""
    if machine.is_inactive:
        return True
    try:
        go = machine.plan(machine.state, signals)
    except (KeyError, Failed):
        return False
    if go is None or isinstance(go, str):
        return go is None
    values, pops, pushes, to = go
    same = all(n in signals and not differs(signals[n], v) for n, v in values.items())
    return same and to == machine.state and not (pops or pushes)


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
