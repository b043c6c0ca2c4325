"""The chart: four states, eight arcs, a counter and a flag; a robot that turns, moves and waits for the next order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

TURNS, MOVES = 3, 2


class Machines(Protocol):
    """Machines of one system."""

    def tick(self, go: bool) -> None:
        """Take one cycle with all machines."""

    def now(self) -> Sequence[tuple[str, int]]:
        """Return state and counter of each machine."""


def network(count: int) -> dict[str, Any]:
    """Return the chart as a network of hetwin, with its own signals for each machine."""
    return {
        "events": ["go"],
        "advance": "once",
        "machines": {f"m{i}": _machine(f"n{i}", f"busy{i}") for i in range(count)},
    }


def _machine(n: str, busy: str) -> dict[str, Any]:
    return {
        "initial": "LISTEN",
        "init": {n: 0, busy: False},
        "states": {
            "LISTEN": [
                {"if": "!go", "to": "LISTEN"},
                {"if": "go", "do": {n: TURNS, busy: True}, "to": "TURN"},
            ],
            "TURN": [
                {"if": f"{n} > 0", "do": {n: f"{n} - 1"}, "to": "TURN"},
                {"if": f"{n} <= 0", "do": {n: MOVES}, "to": "MOVE"},
            ],
            "MOVE": [
                {"if": f"{n} > 0", "do": {n: f"{n} - 1"}, "to": "MOVE"},
                {"if": f"{n} <= 0", "to": "RESUME"},
            ],
            "RESUME": [
                {"if": "go", "to": "RESUME"},
                {"if": "!go", "do": {busy: False}, "to": "LISTEN"},
            ],
        },
    }
