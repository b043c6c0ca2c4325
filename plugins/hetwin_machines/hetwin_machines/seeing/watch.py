"""Run a network and record for each cycle which arc each machine took, and why machines failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hetwin_machines.cycle import FAULTS, line_of
from hetwin_machines.expressions.operations import Value
from hetwin_machines.network import Machine, Network
from hetwin_machines.running import Line, NetworkRun
from hetwin_machines.seeing.faults import Wanted, why
from hetwin_machines.seeing.looking import firing, guards, look


@dataclass(frozen=True, slots=True)
class Seen:
    """A cycle, with everything observed in it.

    Attributes:
        line: states and signals after the cycle, see `cycle.line_of`.
        before: machine -> its state before the cycle.
        arcs: machine -> index of the arc it took; machines that took none or were not observed are missing.
        why: machine that failed in this cycle -> the reason.
    """

    line: Line
    before: Mapping[str, str]
    arcs: Mapping[str, int]
    why: Mapping[str, str]


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

    def step(self, outside: Mapping[str, Value]) -> Iterator[Seen]:
        """Execute a step; yield what was observed in each of its cycles.

        Args:
            outside: input -> value, and event -> whether it happens.
        """
        cycles = self.run.cycles
        cycles.begin_step(outside)
        for _ in range(cycles.cycle_limit):
            signals = dict(cycles.signals)
            at = {m.name: (m.state, tuple(m.stack)) for m in cycles.machines if not m.stopped}
            changed = cycles.next()
            yield self._seen(line_of(cycles, self._network.signals), signals, at)
            changed = cycles.act() or changed
            if cycles.is_over or not changed:
                return

    def _seen(
        self,
        line: Line,
        signals: Mapping[str, Value],
        at: Mapping[str, tuple[str, tuple[str, ...]]],
    ) -> Seen:
        machines = [m for m in self._network.machines if _goes_on(at.get(m.name))]
        after = {name: entry["state"] for name, entry in line["machines"].items()}
        faulty = [m for m in machines if after[m.name] in FAULTS]
        if self._changes_only and not faulty:
            machines = [m for m in machines if _changed(at[m.name], line["machines"][m.name])]
        fired = {m.name: firing(guards(m.states[at[m.name][0]], signals)) for m in machines}
        wanted = self._wanted(machines, at, fired, signals) if faulty else {}
        return Seen(
            line=line,
            before={name: state for name, (state, _) in at.items()},
            arcs={
                m.name: fired[m.name][0]
                for m in machines
                if fired[m.name] and after[m.name] not in FAULTS
            },
            why={m.name: why(m, *at[m.name], signals, after[m.name], wanted) for m in faulty},
        )

    def _wanted(
        self,
        machines: list[Machine],
        at: Mapping[str, tuple[str, tuple[str, ...]]],
        fired: Mapping[str, list[int]],
        signals: Mapping[str, Value],
    ) -> Wanted:
        """Return the values that each machine with exactly one firing arc would set."""
        found: dict[str, dict[str, Any]] = {}
        for machine in machines:
            if len(fired[machine.name]) == 1:
                arc = machine.states[at[machine.name][0]][fired[machine.name][0]]
                looks = {name: look(e, signals) for name, e in arc.assignments.items()}
                if not any(each.problem for each in looks.values()):
                    found[machine.name] = {name: each.value for name, each in looks.items()}
        return found


def _goes_on(at: tuple[str, tuple[str, ...]] | None) -> bool:
    return at is not None and at[0] not in FAULTS


def _changed(at: tuple[str, tuple[str, ...]], entry: Mapping[str, Any]) -> bool:
    return at != (entry["state"], tuple(entry["stack"]))
