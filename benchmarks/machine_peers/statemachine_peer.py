"""The chart in python-statemachine: a class with states, an event and conditions."""

from __future__ import annotations

from statemachine import State, StateMachine

from machine_peers.order import Order


class Turner(Order, StateMachine):
    """One machine."""

    listen = State("LISTEN", initial=True)
    turn = State("TURN")
    move = State("MOVE")
    resume = State("RESUME")
    tick = (
        listen.to.itself(unless="goes")
        | listen.to(turn, cond="goes", on="begin")
        | turn.to.itself(cond="counts", on="count")
        | turn.to(move, unless="counts", on="turned")
        | move.to.itself(cond="counts", on="count")
        | move.to(resume, unless="counts")
        | resume.to.itself(cond="goes")
        | resume.to(listen, unless="goes", on="rest")
    )


class Machines:
    """Some machines."""

    def __init__(self, count: int) -> None:
        self._turners = [Turner() for _ in range(count)]

    def tick(self, go: bool) -> None:
        """Take one cycle with all machines."""
        for turner in self._turners:
            turner.goes = go
            turner.tick()

    def now(self) -> list[tuple[str, int]]:
        """Return state and counter of each machine."""
        return [(next(iter(t.configuration)).name, t.n) for t in self._turners]


def make(count: int) -> Machines:
    """Return machines."""
    return Machines(count)
