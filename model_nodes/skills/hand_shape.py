"""How a hand goes to things and closes on them, read from how its fingers move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.chains.chain import Chain
from model_nodes.robot_program.facts import HandFacts, RobotFacts, seen_from, within

_LEAST = 1e-3
"""Shorter ways give no direction [m]."""


@dataclass(frozen=True, slots=True)
class HandShape:
    """A hand in its grasp frame.

    Attributes:
        approach: (3,) unit vector in which it goes to an object.
        closing: (3,) unit vector across that, along which its fingers close, each of which counts the same.
        opening: how far two opposite finger tips are apart when it is open [m]; None: it has more than two.
    """

    approach: Floats
    closing: Floats
    opening: float | None


def hand_shape(facts: RobotFacts, hand: str) -> HandShape:
    """Return the shape of a hand.

    Fingers close towards the middle of the grasp frame: a point of each tip that is there when the hand is closed
    is somewhere else when it is open. The approach leads from where the fingers begin to the grasp frame, unless the
    scenario has it.

    Raises:
        ValueError: if the scenario lacks data of the hand.
    """
    described = facts.hands[hand]
    if not (described.opened and described.closed):
        raise ValueError(
            f"it is not known how {hand} grasps; expected hands.{hand}.opened and .closed in the scenario"
        )
    fingers = _Fingers(facts, described)
    begins, ways = fingers.begins(), fingers.ways()
    approach = np.array(described.approach or -begins.mean(axis=0), np.float64)
    if np.linalg.norm(approach) < _LEAST:
        raise ValueError(
            f"it is not known from where {hand} goes to things;"
            f" expected hands.{hand}.approach in the scenario: x y z in its grasp frame"
        )
    approach /= np.linalg.norm(approach)
    across = ways - np.outer(ways @ approach, approach)
    if np.abs(across).max(initial=0.0) < _LEAST:
        raise ValueError(
            f"{hand} does not close across its approach {np.round(approach, 3).tolist()};"
            f" expected other hands.{hand}.opened, .closed or .approach in the scenario"
        )
    lengths = np.linalg.norm(across, axis=1)
    alike = across[lengths > _LEAST] / lengths[lengths > _LEAST, None]
    closing = np.linalg.svd(alike)[2][0]
    along = across @ closing
    return HandShape(approach, closing, float(np.ptp(along)) if len(along) == 2 else None)


class _Fingers:
    """The fingers of a hand, from where they begin to their tips."""

    def __init__(self, facts: RobotFacts, hand: HandFacts) -> None:
        self._hand = hand
        self._others = {name: joint.start for name, joint in facts.joints.items()}
        own = set(hand.fingers)
        branches: dict[tuple[str, ...], str] = {}
        for link, segments in facts.links.items():
            joints = tuple(s.joint for s in segments if s.joint in own)
            if joints:
                branches.setdefault(joints, link)
        shorter = {joints[:i] for joints in branches for i in range(1, len(joints))}
        self._tips = [Chain(facts.links[link]) for j, link in branches.items() if j not in shorter]
        first = {joints[0]: link for joints, link in branches.items() if len(joints) == 1}
        self._first = [Chain(facts.links[link]) for link in first.values()]
        self._palm = Chain(facts.links[hand.link])

    def begins(self) -> Floats:
        """(n, 3) where the fingers begin when open, in the grasp frame [m]."""
        opened = self._at(self._hand.opened)
        return np.array([self._seen(chain, opened)[:3] for chain in self._first])

    def ways(self) -> Floats:
        """(m, 3) from where each tip is when closed to where it is when open, at the middle of the grasp frame [m]."""
        opened, closed = self._at(self._hand.opened), self._at(self._hand.closed)
        rows = []
        for chain in self._tips:
            middle = seen_from(self._seen(chain, closed), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
            rows.append(within(self._seen(chain, opened), middle)[:3])
        return np.array(rows)

    def _at(self, positions: tuple[float, ...]) -> dict[str, float]:
        """The fingers somewhere, the other joints where they are: a thumb that is turned to the fingers stays so."""
        return self._others | dict(zip(self._hand.fingers, positions, strict=True))

    def _seen(self, chain: Chain, joints: dict[str, float]) -> tuple[float, ...]:
        """A link in the grasp frame."""
        palm = within(_placed(self._palm, joints), self._hand.offset)
        return seen_from(palm, _placed(chain, joints))


def _placed(chain: Chain, joints: dict[str, float]) -> tuple[float, ...]:
    positions = np.array([joints.get(name, 0.0) for name in chain.joints])
    return tuple(chain.place(positions).pose.tolist())
