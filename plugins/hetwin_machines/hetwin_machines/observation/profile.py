"""Count how often and how long machines were in their states, and which arcs they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hetwin_machines.network import Network
from hetwin_machines.observation.watch import ObservedCycle


@dataclass
class StateStatistics:
    """Statistics of a state of a machine.

    Attributes:
        visits: how often the machine entered the state from another one, or started in it.
        cycles: number of cycles after which the machine was in the state.
        longest: maximum number of such cycles in a row.
        arcs: how often each arc of the state was taken.
    """

    visits: int = 0
    cycles: int = 0
    longest: int = 0
    arcs: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the statistics in the form used in JSON."""
        return {
            "visits": self.visits,
            "cycles": self.cycles,
            "longest": self.longest,
            "arcs": self.arcs,
        }


class Profile:
    """Statistics of all states, updated with every cycle that is added; states never entered have zeros.

    Args:
        network: the network that is run.

    Attributes:
        stays: machine -> state -> its statistics; faults that occurred are included as states.
        cycles: number of cycles added.
    """

    def __init__(self, network: Network) -> None:
        self.stays: dict[str, dict[str, StateStatistics]] = {
            machine.name: {
                state: StateStatistics(arcs=[0] * len(arcs))
                for state, arcs in machine.states.items()
            }
            for machine in network.machines
        }
        self.cycles = 0
        self._current_states = {machine.name: machine.initial for machine in network.machines}
        self._current_lengths = dict.fromkeys(self._current_states, 0)
        for name, state in self._current_states.items():
            self.stays[name][state].visits = 1

    def add(self, cycle: ObservedCycle) -> None:
        """Count a cycle."""
        self.cycles += 1
        self._count_arcs(cycle.before, cycle.arcs)
        for name, entry in cycle.line["machines"].items():
            self._count(name, cycle.before.get(name, entry["state"]), entry["state"])

    def _count_arcs(self, before: Mapping[str, str], arcs: Mapping[str, int]) -> None:
        for name, arc in arcs.items():
            self.stays[name][before[name]].arcs[arc] += 1

    def _count(self, name: str, before: str, state: str) -> None:
        """Count the state of a machine; after a reset, `before` differs from the state it was last seen in."""
        statistics = self.stays[name].setdefault(state, StateStatistics())
        if before != self._current_states[name]:
            self.stays[name][before].visits += 1
            self._current_lengths[name] = 0
        if state != before:
            statistics.visits += 1
            self._current_lengths[name] = 0
        self._current_lengths[name] += 1
        self._current_states[name] = state
        statistics.cycles += 1
        statistics.longest = max(statistics.longest, self._current_lengths[name])

    def to_json(self) -> dict[str, Any]:
        """Return the statistics in the form used in JSON."""
        machines = {
            name: {state: statistics.to_json() for state, statistics in stays.items()}
            for name, stays in self.stays.items()
        }
        return {"cycles": self.cycles, "machines": machines}
