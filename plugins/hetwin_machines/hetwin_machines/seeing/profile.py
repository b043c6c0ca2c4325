"""Count how often and how long machines were in their states, and which arcs they took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hetwin_machines.network import Network
from hetwin_machines.seeing.watch import Seen


@dataclass
class Stay:
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
        self.stays: dict[str, dict[str, Stay]] = {
            machine.name: {
                state: Stay(arcs=[0] * len(arcs)) for state, arcs in machine.states.items()
            }
            for machine in network.machines
        }
        self.cycles = 0
        self._now = {machine.name: machine.initial for machine in network.machines}
        self._for = dict.fromkeys(self._now, 0)
        for name, state in self._now.items():
            self.stays[name][state].visits = 1

    def add(self, seen: Seen) -> None:
        """Count a cycle."""
        self.cycles += 1
        self._count_arcs(seen.before, seen.arcs)
        for name, entry in seen.line["machines"].items():
            self._count(name, seen.before.get(name, entry["state"]), entry["state"])

    def _count_arcs(self, before: Mapping[str, str], arcs: Mapping[str, int]) -> None:
        for name, arc in arcs.items():
            self.stays[name][before[name]].arcs[arc] += 1

    def _count(self, name: str, before: str, state: str) -> None:
        """Count the state of a machine; after a reset, `before` differs from the state it was last seen in."""
        stay = self.stays[name].setdefault(state, Stay())
        if before != self._now[name]:
            self.stays[name][before].visits += 1
            self._for[name] = 0
        if state != before:
            stay.visits += 1
            self._for[name] = 0
        self._for[name] += 1
        self._now[name] = state
        stay.cycles += 1
        stay.longest = max(stay.longest, self._for[name])

    def to_json(self) -> dict[str, Any]:
        """Return the statistics in the form used in JSON."""
        machines = {
            name: {state: stay.to_json() for state, stay in stays.items()}
            for name, stays in self.stays.items()
        }
        return {"cycles": self.cycles, "machines": machines}
