"""Tries strategies out on the very load that a robot stands before.

What the robot sees of a load says little of how its packets lie on each other; simulating them does. A library has few
strategies, so that trying them takes seconds where planning takes minutes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hetwin_truck.planning.belief import Node, Strategy
from hetwin_truck.planning.search import Simulate


@dataclass(frozen=True, slots=True)
class Trials:
    """What was tried within a budget.

    Attributes:
        nodes: the belief after each strategy that was tried to its end, in the order of trying.
        processor_s: what that took [s].
    """

    nodes: tuple[Node, ...]
    processor_s: float

    def best(self, otherwise: Strategy) -> Strategy:
        """Return the strategy that unloads most packets per hour; `otherwise` if none was tried."""
        return max(self.nodes, key=lambda node: node.rate).strategy if self.nodes else otherwise


def try_out(simulate: Simulate, strategies: Iterable[Strategy], budget_s: float) -> Trials:
    """Try strategies in their order until the processor time is spent.

    Args:
        simulate: returns the belief after a strategy; what strategies have in common is simulated once.
        strategies: the most promising first.
        budget_s: processor time [s]; the strategy in which it ends does not count.
    """
    known, tried, spent = set[Strategy](), list[Node](), 0.0
    for strategy in strategies:
        for length in range(1, len(strategy) + 1):
            node = simulate(strategy[:length])
            if node.strategy not in known:
                known.add(node.strategy)
                spent += node.processor_s
            if spent > budget_s:
                return Trials(tuple(tried), spent)
        tried.append(node)
    return Trials(tuple(tried), spent)
