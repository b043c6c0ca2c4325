"""What a machine of the chart counts and sets, for libraries that call methods."""

from __future__ import annotations

from machine_peers.chart import MOVES, TURNS


class Order:
    """The order that a machine carries out.

    Attributes:
        n: how much is left to do.
        busy: whether there is one.
        goes: whether one is given.
    """

    def __init__(self) -> None:
        self.n = 0
        self.busy = False
        self.goes = False
        super().__init__()

    def counts(self) -> bool:
        """Whether there is something left to do."""
        return self.n > 0

    def begin(self) -> None:
        """Take an order."""
        self.n, self.busy = TURNS, True

    def count(self) -> None:
        """Do a part of it."""
        self.n -= 1

    def turned(self) -> None:
        """Go on with moving."""
        self.n = MOVES

    def rest(self) -> None:
        """Be ready for the next order."""
        self.busy = False
