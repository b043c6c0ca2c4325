"""The chart as a behaviour tree of py_trees: what is done depends on what is left to do, and not on a state."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector

from machine_peers.chart import MOVES, TURNS


class Data:
    """What the behaviours of a tree share."""

    def __init__(self) -> None:
        self.state = "LISTEN"
        self.n = 0
        self.goes = False


class Phase(Behaviour):
    """Behaves while the machine is in one state, and fails in the others."""

    def __init__(self, state: str, data: Data) -> None:
        super().__init__(state)
        self._data = data

    def update(self) -> Status:
        """Do a part of what the state does."""
        if self._data.state != self.name:
            return Status.FAILURE
        self.act(self._data)
        return Status.RUNNING

    def act(self, data: Data) -> None:
        """Do it."""


class Listen(Phase):
    """Waits for an order."""

    def act(self, data: Data) -> None:
        """Take it."""
        if data.goes:
            data.n, data.state = TURNS, "TURN"


class Count(Phase):
    """Does something for a while."""

    def act(self, data: Data) -> None:
        """Do a part of it."""
        if data.n > 0:
            data.n -= 1
        elif data.state == "TURN":
            data.n, data.state = MOVES, "MOVE"
        else:
            data.state = "RESUME"


class Rest(Phase):
    """Waits until the order is taken back."""

    def act(self, data: Data) -> None:
        """Be ready for the next one."""
        if not data.goes:
            data.state = "LISTEN"


class Machines:
    """Some trees."""

    def __init__(self, count: int) -> None:
        self._data = [Data() for _ in range(count)]
        self._trees = [self._tree(data) for data in self._data]

    @staticmethod
    def _tree(data: Data) -> Selector:
        children = [
            Listen("LISTEN", data),
            Count("TURN", data),
            Count("MOVE", data),
            Rest("RESUME", data),
        ]
        return Selector("turner", memory=False, children=children)

    def tick(self, go: bool) -> None:
        """Take one cycle with all trees."""
        for data, tree in zip(self._data, self._trees, strict=True):
            data.goes = go
            tree.tick_once()

    def now(self) -> list[tuple[str, int]]:
        """Return state and counter of each."""
        return [(data.state, data.n) for data in self._data]


def make(count: int) -> Machines:
    """Return trees."""
    return Machines(count)
