"""The chart by hand: the fewest lines, without any diagnosis."""

from __future__ import annotations

from machine_peers.chart import MOVES, TURNS


class Machine:
    """One machine."""

    def __init__(self) -> None:
        self.state = "LISTEN"
        self.n = 0
        self.busy = False

    def tick(self, go: bool) -> None:
        """Take one cycle."""
        state = self.state
        if state == "LISTEN":
            if go:
                self.n, self.busy, self.state = TURNS, True, "TURN"
        elif state == "TURN":
            if self.n > 0:
                self.n -= 1
            else:
                self.n, self.state = MOVES, "MOVE"
        elif state == "MOVE":
            if self.n > 0:
                self.n -= 1
            else:
                self.state = "RESUME"
        elif not go:
            self.busy, self.state = False, "LISTEN"


class Machines:
    """Some machines."""

    def __init__(self, count: int) -> None:
        self._machines = [Machine() for _ in range(count)]

    def tick(self, go: bool) -> None:
        """Take one cycle with all machines."""
        for machine in self._machines:
            machine.tick(go)

    def now(self) -> list[tuple[str, int]]:
        """Return state and counter of each machine."""
        return [(machine.state, machine.n) for machine in self._machines]


def make(count: int) -> Machines:
    """Return machines."""
    return Machines(count)
