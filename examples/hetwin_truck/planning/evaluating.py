"""Evaluates strategies by simulation on the load in front of the robot.

The visible surface of a load shows little of how its packets are stacked; simulation reveals more. A library has few
strategies, so that evaluating them takes seconds where planning takes minutes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetwin_truck.planning.belief import Node, Strategy
from hetwin_truck.planning.search import Simulate


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The evaluated strategies within a budget.

    Attributes:
        nodes: beliefs after the completely simulated strategies, in their order.
        processor_s: processor time [s].
    """

    nodes: tuple[Node, ...]
    processor_s: float

    def best(self, otherwise: Strategy) -> Strategy:
        """Return the strategy with the most packets per hour; `otherwise` if none was evaluated."""
        return max(self.nodes, key=lambda node: node.rate).strategy if self.nodes else otherwise


def evaluate_in_order(
    simulate: Simulate, strategies: Iterable[Strategy], budget_s: float
) -> Evaluations:
    """Evaluate strategies in their order until the processor time is spent.

    Args:
        simulate: returns the belief after a strategy; common beginnings are simulated once.
        strategies: strategies, the most promising first.
        budget_s: processor time [s]; the strategy that exceeds it does not count.
    """
    simulated, completed, spent_s = set[Strategy](), list[Node](), 0.0
    for strategy in strategies:
        for length in range(1, len(strategy) + 1):
            node = simulate(strategy[:length])
            if node.strategy not in simulated:
                simulated.add(node.strategy)
                spent_s += node.processor_s
            if spent_s > budget_s:
                return Evaluations(tuple(completed), spent_s)
        completed.append(node)
    return Evaluations(tuple(completed), spent_s)
