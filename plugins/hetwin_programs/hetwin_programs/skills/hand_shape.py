"""Approach direction and closing direction of a hand, computed from the motion of its fingers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hetwin_programs.program.facts import HandFacts, RobotFacts, seen_from, within
from hetwin_suite.model import Floats
from hetwin_suite.robot import Chain

_MIN_LENGTH = 1e-3
"""Minimum length of a vector that gives a direction [m]."""


@dataclass(frozen=True, slots=True)
class HandShape:
    """Directions of a hand, in its grasp frame.

    Attributes:
        approach: (3,) unit vector along which the hand moves to an object.
        closing: (3,) unit vector perpendicular to `approach` along which the fingers close; all fingers weigh equally.
        opening: distance between two opposite finger tips when the hand is open [m]; None for more than two fingers.
    """

    approach: Floats
    closing: Floats
    opening: float | None


def hand_shape(facts: RobotFacts, hand: str) -> HandShape:
    """Return the directions of a hand.

    Fingers close towards the origin of the grasp frame: the point of each tip that is at the origin when the hand is
    closed is followed to its position when the hand is open. The approach points from the fingers' first links to the
    grasp frame, unless the scenario gives it.

    Raises:
        ValueError: if the scenario lacks data about the hand.
    """
    described = facts.hands[hand]
    if not (described.opened and described.closed):
        raise ValueError(
            f"it is not known how {hand} grasps; expected hands.{hand}.opened and .closed in the scenario"
        )
    fingers = _Fingers(facts, described)
    first_links, displacements = fingers.first_links(), fingers.displacements()
    approach = np.array(described.approach or -first_links.mean(axis=0), np.float64)
    if np.linalg.norm(approach) < _MIN_LENGTH:
        raise ValueError(
            f"the direction in which {hand} approaches objects is unknown;"
            f" expected hands.{hand}.approach in the scenario: x y z in its grasp frame"
        )
    approach /= np.linalg.norm(approach)
    across = displacements - np.outer(displacements @ approach, approach)
    if np.abs(across).max(initial=0.0) < _MIN_LENGTH:
        raise ValueError(
            f"{hand} does not close across its approach {np.round(approach, 3).tolist()};"
            f" expected other hands.{hand}.opened, .closed or .approach in the scenario"
        )
    lengths = np.linalg.norm(across, axis=1)
    directions = across[lengths > _MIN_LENGTH] / lengths[lengths > _MIN_LENGTH, None]
    closing = np.linalg.svd(directions)[2][0]
    along = across @ closing
    return HandShape(approach, closing, float(np.ptp(along)) if len(along) == 2 else None)


class _Fingers:
    """Kinematic chains to the first links and to the tips of a hand's fingers."""

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

    def first_links(self) -> Floats:
        """Return (n, 3) positions of the fingers' first links when the hand is open, in the grasp frame [m]."""
        opened = self._at(self._hand.opened)
        return np.array([self._in_grasp(chain, opened)[:3] for chain in self._first])

    def displacements(self) -> Floats:
        """Return (m, 3) displacements of the tips from closed to open [m].

        The point of each tip is measured that is at the origin of the grasp frame when the hand is closed.
        """
        opened, closed = self._at(self._hand.opened), self._at(self._hand.closed)
        rows = []
        for chain in self._tips:
            middle = seen_from(self._in_grasp(chain, closed), (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
            rows.append(within(self._in_grasp(chain, opened), middle)[:3])
        return np.array(rows)

    def _at(self, positions: tuple[float, ...]) -> dict[str, float]:
        """Return joint positions with the fingers at the given ones; all other joints keep their start positions."""
        return self._others | dict(zip(self._hand.fingers, positions, strict=True))

    def _in_grasp(self, chain: Chain, joints: dict[str, float]) -> tuple[float, ...]:
        """Return the pose of a link in the grasp frame."""
        palm = within(_placed(self._palm, joints), self._hand.offset)
        return seen_from(palm, _placed(chain, joints))


def _placed(chain: Chain, joints: dict[str, float]) -> tuple[float, ...]:
    positions = np.array([joints.get(name, 0.0) for name in chain.joints])
    return tuple(chain.place(positions).pose.tolist())
