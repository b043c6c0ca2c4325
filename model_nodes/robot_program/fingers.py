"""The fingers of a robot's hands: where they are to be, and whether they grip something."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.nearest import one_of
from model_nodes.robot_program.facts import HandFacts, RobotFacts

GRIPPED = 2e-3
"""Fingers that stay further from where they are to be hold something [rad or m]."""
_OPEN, _CLOSED = "open", "closed"


class Fingers:
    """Knows the fingers of a robot.

    Args:
        facts: of the robot.
    """

    def __init__(self, facts: RobotFacts) -> None:
        self._facts = facts

    def hand(self, name: str) -> HandFacts:
        """Return a hand.

        Raises:
            ValueError: if the robot has no such hand.
        """
        hands = self._facts.hands
        if name not in hands:
            raise ValueError(f"the robot has no hand {name}; expected {one_of(name, hands)}")
        return hands[name]

    def of(self, hand: str) -> list[str]:
        """Return the fingers of a hand that the program may move.

        Raises:
            ValueError: if there is no such hand, or it has none.
        """
        fingers = [name for name in self.hand(hand).fingers if name in self._facts.joints]
        if not fingers:
            raise ValueError(
                f"the hand {hand} has no fingers; expected hands.{hand}.joints in the scenario"
            )
        return fingers

    def goals(self, hand: str, goal: str | float) -> dict[str, float]:
        """Return where the fingers are to be: ``open``, ``closed`` or a position of all [rad or m].

        Raises:
            ValueError: if it is none of these, or not known.
        """
        fingers, facts = self.of(hand), self.hand(hand)
        if not isinstance(goal, str):
            return dict.fromkeys(fingers, float(goal))
        if goal not in (_OPEN, _CLOSED):
            raise ValueError(f"a hand cannot be {goal}; expected open, closed or a position")
        positions = facts.opened if goal == _OPEN else facts.closed
        if not positions:
            key = f"hands.{hand}.{'opened' if goal == _OPEN else 'closed'}"
            raise ValueError(
                f"it is not known where the fingers of {hand} are then;"
                f" expected {key} in the scenario, or a position"
            )
        known = dict(zip(facts.fingers, positions, strict=True))
        return {name: known[name] for name in fingers}

    def way(self, hand: str, goals: Mapping[str, float], now: Mapping[str, float]) -> str:
        """Return ``open`` if the fingers open on their way from where they are now, else ``closed``."""
        facts = self.hand(hand)
        opened = dict(zip(facts.fingers, facts.opened, strict=False))
        for name, goal in goals.items():
            end = opened.get(name, 0.0)
            if abs(goal - end) < abs(now[name] - end):
                return _OPEN
        return _CLOSED

    def grip(self, hand: str, joints: Mapping[str, float], commanded: Mapping[str, float]) -> bool:
        """Whether fingers are stopped by something on their way to where they are commanded to be."""
        return any(abs(joints[name] - commanded[name]) > GRIPPED for name in self.of(hand))
