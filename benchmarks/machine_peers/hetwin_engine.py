"""The chart in hetwin: with all diagnosis of its own, as in every run."""

from __future__ import annotations

from hetwin_machines.reading import read_network
from hetwin_machines.running import NetworkRun
from machine_peers.chart import network


class Machines:
    """A network of machines."""

    def __init__(self, count: int) -> None:
        self._run = NetworkRun(read_network(network(count)))

    def tick(self, go: bool) -> None:
        """Take one cycle with all machines."""
        self._run.advance({"go": go})

    def now(self) -> list[tuple[str, int]]:
        """Return state and counter of each machine."""
        line = self._run.monitor()
        states = (entry["state"] for entry in line["machines"].values())
        return [(state, line["signals"][f"n{i}"]) for i, state in enumerate(states)]


def make(count: int) -> Machines:
    """Return machines."""
    return Machines(count)
