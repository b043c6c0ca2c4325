"""Run a network and record for each cycle which arc each machine took, and why machines failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hetwin_machines.cycle import FAULTS, line_of
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Machine, Network
from hetwin_machines.observation.evaluations import (
    evaluate_expression,
    evaluate_guards,
    firing_arcs,
)
from hetwin_machines.observation.faults import Assignments, fault_reason
from hetwin_machines.running import Line, NetworkRun


@dataclass(frozen=True, slots=True)
class ObservedCycle:
    """A cycle, with everything observed in it.

    Attributes:
        line: states and signals after the cycle, see `cycle.line_of`.
        before: machine -> its state before the cycle.
        arcs: machine -> index of the arc it took; machines that took none or were not observed are missing.
        fault_reasons: machine that failed in this cycle -> the reason.
    """

    line: Line
    before: Mapping[str, str]
    arcs: Mapping[str, int]
    fault_reasons: Mapping[str, str]


class Watch:
    """A running network that is observed: slower than a `NetworkRun` alone, with exactly the same results.

    Args:
        network: the network to be run.
        changes_only: whether only machines whose state or stack changes are observed, which is faster.

    Attributes:
        run: the running network.
    """

    def __init__(self, network: Network, *, changes_only: bool = False) -> None:
        self._network = network
        self._changes_only = changes_only
        self.run = NetworkRun(network)

    @property
    def is_over(self) -> bool:
        """Whether a machine has ended the run."""
        return self.run.is_over

    def monitor(self) -> Line:
        """Return the current states and signals, see `NetworkRun.monitor`."""
        return self.run.monitor()

    def step(self, outside: Mapping[str, Value]) -> Iterator[ObservedCycle]:
        """Execute a step; yield what was observed in each of its cycles.

        Args:
            outside: input -> value, and event -> whether it happens.
        """
        cycles = self.run.cycles
        cycles.begin_step(outside)
        for _ in range(cycles.cycle_limit):
            signals = dict(cycles.signals)
            before = {m.name: (m.state, tuple(m.stack)) for m in cycles.machines if not m.stopped}
            changed = cycles.next()
            yield self._observe(line_of(cycles, self._network.signals), signals, before)
            changed = cycles.act() or changed
            if cycles.is_over or not changed:
                return

    def _observe(
        self,
        line: Line,
        signals: Mapping[str, Value],
        before: Mapping[str, tuple[str, tuple[str, ...]]],
    ) -> ObservedCycle:
        machines = [m for m in self._network.machines if _is_running(before.get(m.name))]
        after = {name: entry["state"] for name, entry in line["machines"].items()}
        faulty = [m for m in machines if after[m.name] in FAULTS]
        if self._changes_only and not faulty:
            machines = [m for m in machines if _changed(before[m.name], line["machines"][m.name])]
        fired = {
            m.name: firing_arcs(evaluate_guards(m.states[before[m.name][0]], signals))
            for m in machines
        }
        assignments = self._assignments(machines, before, fired, signals) if faulty else {}
        return ObservedCycle(
            line=line,
            before={name: state for name, (state, _) in before.items()},
            arcs={
                m.name: fired[m.name][0]
                for m in machines
                if fired[m.name] and after[m.name] not in FAULTS
            },
            fault_reasons={
                m.name: fault_reason(m, *before[m.name], signals, after[m.name], assignments)
                for m in faulty
            },
        )

    def _assignments(
        self,
        machines: list[Machine],
        before: Mapping[str, tuple[str, tuple[str, ...]]],
        fired: Mapping[str, list[int]],
        signals: Mapping[str, Value],
    ) -> Assignments:
        """Return the values that each machine with exactly one firing arc would set."""
        assignments: dict[str, dict[str, Any]] = {}
        for machine in machines:
            if len(fired[machine.name]) == 1:
                arc = machine.states[before[machine.name][0]][fired[machine.name][0]]
                evaluations = {
                    name: evaluate_expression(e, signals) for name, e in arc.assignments.items()
                }
                if not any(evaluation.problem for evaluation in evaluations.values()):
                    assignments[machine.name] = {
                        name: evaluation.value for name, evaluation in evaluations.items()
                    }
        return assignments


def _is_running(before: tuple[str, tuple[str, ...]] | None) -> bool:
    return before is not None and before[0] not in FAULTS


def _changed(before: tuple[str, tuple[str, ...]], entry: Mapping[str, Any]) -> bool:
    return before != (entry["state"], tuple(entry["stack"]))
