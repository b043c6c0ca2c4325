"""Best-first search over strategies with several shared heuristics.

After POMHDP (Kim et al., 2019), with which Tallavajhula et al. (2019), section 4.4, plan: several heuristics, which
need not be admissible, alternate in choosing the next simulation, and share all results. A simulation takes seconds, so
a belief is simulated only when it is chosen itself, not when its predecessor is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from hetwin_truck.planning.belief import HOUR, START, Node, Strategy

Simulate: TypeAlias = Callable[[Strategy], Node]


@dataclass(slots=True)
class _MoveStatistics:
    """Packets and simulated seconds of each move in this search."""

    unloaded: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    count: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add(self, previous: Node, node: Node) -> None:
        move = node.strategy[-1]
        self.unloaded[move] += node.unloaded - previous.unloaded
        self.seconds[move] += node.seconds - previous.seconds
        self.count[move] += 1

    def mean(self, move: str) -> tuple[float, float] | None:
        """Return mean packets and seconds of a move; None if it was never made."""
        count = self.count[move]
        return (self.unloaded[move] / count, self.seconds[move] / count) if count else None

    def best_rate(self) -> float:
        """Return packets per second of the best move."""
        tried = [move for move in self.count if self.seconds[move] > 0]
        return max((self.unloaded[move] / self.seconds[move] for move in tried), default=0.0)


@dataclass(frozen=True, slots=True)
class Progress:
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
        length: number of moves of a complete strategy.

    Attributes:
        progress: the best strategy after each simulated belief.
    """

    def __init__(self, simulate: Simulate, moves: Sequence[str], length: int) -> None:
        self._simulate, self._moves, self._length = simulate, tuple(moves), length
        self._statistics = _MoveStatistics()
        self._nodes: dict[Strategy, Node] = {(): START}
        self._frontier: list[Strategy] = [(move,) for move in moves]
        self._heuristics = (self._optimistic_rate, self._depth_first, self._current_rate)
        self.progress: list[Progress] = []

    def run(self, budget_s: float) -> Node:
        """Search until the budget of processor time [s] is spent or nothing is left; return the best belief.

        The belief during whose simulation the budget is exceeded does not count.
        """
        spent_s = self.progress[-1].processor_s if self.progress else 0.0
        while self._frontier:
            chosen = max(
                self._frontier, key=self._heuristics[len(self.progress) % len(self._heuristics)]
            )
            node = self._simulate(chosen)
            spent_s += node.processor_s
            if spent_s > budget_s:
                break
            self._add(node, spent_s)
        return self.best_within(budget_s)

    def best_within(self, budget_s: float) -> Node:
        """Return the best belief at the end of a budget; the empty strategy if nothing was simulated."""
        within = [step.best for step in self.progress if step.processor_s <= budget_s]
        return within[-1] if within else START

    def complete_strategies(self) -> list[Node]:
        """Return the beliefs after complete strategies, the best first."""
        completed = [
            n for n in self._nodes.values() if len(n.strategy) == self._length and not n.lost
        ]
        return sorted(completed, key=lambda node: -node.rate)

    def _add(self, node: Node, spent_s: float) -> None:
        self._frontier.remove(node.strategy)
        self._nodes[node.strategy] = node
        self._statistics.add(self._nodes[node.strategy[:-1]], node)
        if len(node.strategy) < self._length and not node.lost:
            self._frontier += [(*node.strategy, move) for move in self._moves]
        complete = self.complete_strategies()
        self.progress.append(
            Progress(spent_s, len(self.progress) + 1, len(complete), self._best(complete))
        )

    def _best(self, complete: Sequence[Node]) -> Node:
        """Return the best belief so far: a complete strategy, or an unextended partial one of a higher rate.

        The first complete strategies may be poor if better prefixes are found later.
        """
        extended = {strategy[:-1] for strategy in self._nodes}
        leaves = [n for s, n in self._nodes.items() if s not in extended]
        return max([*complete, *leaves], key=lambda node: self._estimated_rate(node, complete))

    def _estimated_rate(self, node: Node, complete: Sequence[Node]) -> float:
        """Return packets per hour of a belief; partial strategies are completed by the best known remainder.

        Without any complete strategy it is the rate so far.
        """
        if node.lost or not complete:
            return node.rate
        best, previous = complete[0], self._nodes[complete[0].strategy[: len(node.strategy)]]
        seconds = node.seconds + best.seconds - previous.seconds
        return (node.unloaded + best.unloaded - previous.unloaded) / seconds * HOUR

    def _expected(self, strategy: Strategy) -> tuple[float, float]:
        """Estimate packets and seconds after an unsimulated strategy, by its last move's means elsewhere.

        A move that was never tried gets the means of the best one, so that each move is tried early.
        """
        previous, mean = self._nodes[strategy[:-1]], self._statistics.mean(strategy[-1])
        if mean is None:
            means = [self._statistics.mean(move) for move in self._moves]
            mean = max((m for m in means if m is not None), default=(1.0, 1.0))
        return previous.unloaded + mean[0], previous.seconds + mean[1]

    def _optimistic_rate(self, strategy: Strategy) -> float:
        """Return the rate of the complete strategy if all further moves are the best ones: optimistic, as in A*."""
        unloaded, seconds = self._expected(strategy)
        mean_step_s = seconds / len(strategy)
        remaining_s = mean_step_s * (self._length - len(strategy))
        return (
            (unloaded + remaining_s * self._statistics.best_rate()) / (seconds + remaining_s) * HOUR
        )

    def _depth_first(self, strategy: Strategy) -> float:
        """Return the packets unloaded: completes strategies early."""
        return self._expected(strategy)[0]

    def _current_rate(self, strategy: Strategy) -> float:
        """Return the rate so far: abandons bad prefixes."""
        unloaded, seconds = self._expected(strategy)
        return unloaded / seconds * HOUR if seconds else 0.0
