"""Best-first search over strategies that several heuristics share.

After POMHDP (Kim et al., 2019), which Tallavajhula et al. (2019), section 4.4, plan with: several heuristics, none of
which needs to be admissible, take turns in choosing what is simulated next, and share all that was found. A simulation
takes seconds, so a belief is simulated only when it is chosen itself, not when its predecessor is.
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
    """What each move has brought in this search: packets and simulated seconds."""

    unloaded: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    count: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, before: Node, after: Node) -> None:
        move = after.strategy[-1]
        self.unloaded[move] += after.unloaded - before.unloaded
        self.seconds[move] += after.seconds - before.seconds
        self.count[move] += 1

    def mean(self, move: str) -> tuple[float, float] | None:
        """Return packets and seconds of a move; None if it was never made."""
        count = self.count[move]
        return (self.unloaded[move] / count, self.seconds[move] / count) if count else None

    def best_rate(self) -> float:
        """Return packets per second of the move that brings most."""
        made = [move for move in self.count if self.seconds[move] > 0]
        return max((self.unloaded[move] / self.seconds[move] for move in made), default=0.0)


@dataclass(frozen=True, slots=True)
class Step:
    """The best strategy after so much processor time [s] and so many belief nodes."""

    processor_s: float
    nodes: int
    strategies: int
    best: Node


class Search:
    """A search of one load.

    Args:
        simulate: returns the belief after a strategy.
        moves: that a strategy is made of.
        length: number of moves of a whole strategy.

    Attributes:
        steps: one for each simulated belief.
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

        The belief in whose simulation the budget ends does not count.
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
        """Return what was best when the budget was spent; nothing planned: the empty strategy."""
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
        """Return what is best so far: a whole strategy, or a part of one that was not followed and promises more.

        The first whole strategies are poor ones where the search came to better beginnings only afterwards.
        """
        followed = {strategy[:-1] for strategy in self._nodes}
        ends = [n for s, n in self._nodes.items() if s not in followed]
        return max([*whole, *ends], key=lambda node: self._promise(node, whole))

    def _promise(self, node: Node, whole: Sequence[Node]) -> float:
        """Return packets per hour at the end; of a part: if then comes what the best whole strategy brought from there.

        Without any whole strategy it is the rate so far.
        """
        if node.lost or not whole:
            return node.rate
        best, before = whole[0], self._nodes[whole[0].strategy[: len(node.strategy)]]
        seconds = node.seconds + best.seconds - before.seconds
        return (node.unloaded + best.unloaded - before.unloaded) / seconds * HOUR

    def _expected(self, strategy: Strategy) -> tuple[float, float]:
        """Return packets and seconds after a strategy that was not simulated: what its last move brought elsewhere.

        What was never tried is taken for as good as the best, so that each move is tried early.
        """
        before, mean = self._nodes[strategy[:-1]], self._yields.mean(strategy[-1])
        if mean is None:
            means = [self._yields.mean(move) for move in self._moves]
            mean = max((m for m in means if m is not None), default=(1.0, 1.0))
        return before.unloaded + mean[0], before.seconds + mean[1]

    def _soon(self, strategy: Strategy) -> float:
        """The rate of the whole strategy if all further moves bring the most: optimistic, as in A*."""
        unloaded, seconds = self._expected(strategy)
        typical = seconds / len(strategy)
        rest = typical * (self._length - len(strategy))
        return (unloaded + rest * self._yields.best_rate()) / (seconds + rest) * HOUR

    def _deep(self, strategy: Strategy) -> float:
        """Packets unloaded: comes to whole strategies soon."""
        return self._expected(strategy)[0]

    def _steady(self, strategy: Strategy) -> float:
        """The rate so far: leaves what has begun badly."""
        unloaded, seconds = self._expected(strategy)
        return unloaded / seconds * HOUR if seconds else 0.0
