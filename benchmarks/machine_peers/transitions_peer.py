"""The chart in transitions: a model each, with conditions and actions as methods."""

from __future__ import annotations

from transitions import Machine

from machine_peers.order import Order

STATES = ["LISTEN", "TURN", "MOVE", "RESUME"]
ARCS = [
    {"source": "LISTEN", "dest": "LISTEN", "unless": "go"},
    {"source": "LISTEN", "dest": "TURN", "conditions": "go", "after": "begin"},
    {"source": "TURN", "dest": "TURN", "conditions": "counts", "after": "count"},
    {"source": "TURN", "dest": "MOVE", "unless": "counts", "after": "turned"},
    {"source": "MOVE", "dest": "MOVE", "conditions": "counts", "after": "count"},
    {"source": "MOVE", "dest": "RESUME", "unless": "counts"},
    {"source": "RESUME", "dest": "RESUME", "conditions": "go"},
    {"source": "RESUME", "dest": "LISTEN", "unless": "go", "after": "rest"},
]


class Turner(Order):
    """What a machine counts and sets."""

    def go(self) -> bool:
        """Whether the order is given."""
        return self.goes


class Machines:
    """Some machines."""

    def __init__(self, count: int) -> None:
        self._turners = [Turner() for _ in range(count)]
        for turner in self._turners:
            arcs = [{"trigger": "tick", **arc} for arc in ARCS]
            Machine(
                turner, states=STATES, transitions=arcs, initial="LISTEN", auto_transitions=False
            )

    def tick(self, go: bool) -> None:
        """Take one cycle with all machines."""
        for turner in self._turners:
            turner.goes = go
            turner.tick()  # type: ignore[attr-defined]

    def now(self) -> list[tuple[str, int]]:
        """Return state and counter of each machine."""
        return [(turner.state, turner.n) for turner in self._turners]  # type: ignore[attr-defined]


def make(count: int) -> Machines:
    """Return machines."""
    return Machines(count)
