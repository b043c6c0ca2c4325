"""Best-first search over strategies with several shared heuristics.

After POMHDP (Kim et al., 2019), with which Tallavajhula et al. (2019), section 4.4, plan: several heuristics, which
need
not be admissible, alternate in choosing the next simulation, and share all results. A simulation takes seconds, so a
belief is simulated only when it is chosen itself, not when its predecessor is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hetwin_truck.planning.belief import HOUR, START, Node, Strategy

Simulate: TypeAlias = Callable[[Strategy], Node]


@dataclass(slots=True)
class _Yields:
    """Yields of each move in this search: packets and simulated seconds."""

    unloaded: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    count: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, before: Node, after: Node) -> None:
        move = after.strategy[-1]
        self.unloaded[move] += after.unloaded - before.unloaded
        self.seconds[move] += after.seconds - before.seconds
        self.count[move] += 1

    def mean(self, move: str) -> tuple[float, float] | None:
        """Return mean packets and seconds of a move; None if it was never made."""
        count = self.count[move]
        return (self.unloaded[move] / count, self.seconds[move] / count) if count else None

    def best_rate(self) -> float:
        """Return packets per second of the best move."""
        made = [move for move in self.count if self.seconds[move] > 0]
        return max((self.unloaded[move] / self.seconds[move] for move in made), default=0.0)


@dataclass(frozen=True, slots=True)
class Step:
    """The best strategy after this processor time [s] and this number of simulated beliefs."""

    processor_s: float
    nodes: int
    strategies: int
    best: Node


class Search:
    """The search for one load.

    Args:
        simulate: returns the belief after a strategy.
        moves: moves of which strategies consist.
        length: number of moves of a whole strategy.

    Attributes:
        steps: the best strategy after each simulated belief.
    """

    def __init__(self, simulate: Simulate, moves: Sequence[str], length: int) -> None:
        self._simulate, self._moves, self._length = simulate, tuple(moves), length
        self._yields = _Yields()
        self._nodes: dict[Strategy, Node] = {(): START}
        self._open: list[Strategy] = [(move,) for move in moves]
        self._heuristics = (self._soon, self._deep, self._steady)
        self.steps: list[Step] = []

    def run(self, budget_s: float) -> Node:
        """Search until the budget of processor time [s] is spent or nothing is left; return the best belief.

        The belief during whose simulation the budget is exceeded does not count.
        """
        spent = self.steps[-1].processor_s if self.steps else 0.0
        while self._open:
            chosen = max(self._open, key=self._heuristics[len(self.steps) % len(self._heuristics)])
            node = self._simulate(chosen)
            spent += node.processor_s
            if spent > budget_s:
                break
            self._add(node, spent)
        return self.best_within(budget_s)

    def best_within(self, budget_s: float) -> Node:
        """Return the best belief at the end of a budget; the empty strategy if nothing was simulated."""
        known = [step.best for step in self.steps if step.processor_s <= budget_s]
        return known[-1] if known else START

    def whole(self) -> list[Node]:
        """Return the beliefs after whole strategies, the best first."""
        found = [n for n in self._nodes.values() if len(n.strategy) == self._length and not n.lost]
        return sorted(found, key=lambda node: -node.rate)

    def _add(self, node: Node, spent: float) -> None:
        self._open.remove(node.strategy)
        self._nodes[node.strategy] = node
        self._yields.add(self._nodes[node.strategy[:-1]], node)
        if len(node.strategy) < self._length and not node.lost:
            self._open += [(*node.strategy, move) for move in self._moves]
        whole = self.whole()
        self.steps.append(Step(spent, len(self.steps) + 1, len(whole), self._best(whole)))

    def _best(self, whole: Sequence[Node]) -> Node:
        """Return the best belief so far: a whole strategy, or a partial one that was not extended and promises more.

        The first whole strategies may be poor, if better beginnings were found only after them.
        """
        followed = {strategy[:-1] for strategy in self._nodes}
        ends = [n for s, n in self._nodes.items() if s not in followed]
        return max([*whole, *ends], key=lambda node: self._promise(node, whole))

    def _promise(self, node: Node, whole: Sequence[Node]) -> float:
        """Return packets per hour of a belief; partial strategies are completed by the best known remainder.

        Without any whole strategy it is the rate so far.
        """
        if node.lost or not whole:
            return node.rate
        best, before = whole[0], self._nodes[whole[0].strategy[: len(node.strategy)]]
        seconds = node.seconds + best.seconds - before.seconds
        return (node.unloaded + best.unloaded - before.unloaded) / seconds * HOUR

    def _expected(self, strategy: Strategy) -> tuple[float, float]:
        """Estimate packets and seconds after an unsimulated strategy, by its last move's mean yield elsewhere.

        A move that was never tried gets the yield of the best one, so that each move is tried early.
        """
        before, mean = self._nodes[strategy[:-1]], self._yields.mean(strategy[-1])
        if mean is None:
            means = [self._yields.mean(move) for move in self._moves]
            mean = max((m for m in means if m is not None), default=(1.0, 1.0))
        return before.unloaded + mean[0], before.seconds + mean[1]

    def _soon(self, strategy: Strategy) -> float:
        """Return the rate of the whole strategy if all further moves are the best ones: optimistic, as in A*."""
        unloaded, seconds = self._expected(strategy)
        typical = seconds / len(strategy)
        rest = typical * (self._length - len(strategy))
        return (unloaded + rest * self._yields.best_rate()) / (seconds + rest) * HOUR

    def _deep(self, strategy: Strategy) -> float:
        """Return the packets unloaded: completes whole strategies early."""
        return self._expected(strategy)[0]

    def _steady(self, strategy: Strategy) -> float:
        """Return the rate so far: abandons bad beginnings."""
        unloaded, seconds = self._expected(strategy)
        return unloaded / seconds * HOUR if seconds else 0.0
