"""The closing of the fingers, and since when they have been at rest."""

from __future__ import annotations

from math import isnan

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.values import Floats

_NO_TRAVEL = 1e-9


class FingerMotion:
    """Tracks the finger joints as fractions of their travel: 0 fully open, 1 closed without an object.

    Joints without travel (opened and closed are equal) are ignored; a missing value (NaN)
    leaves its joint unchanged.

    Args:
        hand: the hand with the fingers.
        still_range: fingers that stay within this fraction of the travel are at rest.

    Attributes:
        closing: mean fraction over the joints.
        farthest: smallest fraction, of the joint that is farthest from closed.
        gap: how far all joints together are from closed [m, or rad of fingers that turn].
        still_since_ns: time since which no joint has left `still_range`.

    Raises:
        BadInput: if the hand does not specify its fingers' opened and closed positions.
    """

    def __init__(self, hand: HandDescription, still_range: float) -> None:
        _check(hand)
        travels = [c - o for o, c in zip(hand.opened, hand.closed, strict=True)]
        self._travels = [abs(travel) for travel in travels if abs(travel) > _NO_TRAVEL]
        self._joints = [
            (i, opened, 1.0 / travel)
            for i, (opened, travel) in enumerate(zip(hand.opened, travels, strict=True))
            if abs(travel) > _NO_TRAVEL
        ]
        if not self._joints:
            raise BadInput(
                "no finger joint has any travel",
                where=f"hand {hand.name}: opened, closed",
                found=hand.closed,
                expected="different positions for the opened and the closed hand",
            )
        self._range = still_range
        self._fractions: list[float] = []
        self._reference: list[float] = []
        self.closing = 0.0
        self.farthest = 0.0
        self.gap = 0.0
        self.still_since_ns = 0

    def update(self, time_ns: int, positions: Floats) -> None:
        """Update with the finger joints' positions at a time, in the order of the hand's joints."""
        at = positions.tolist()
        seen = [(at[i] - opened) * scale for i, opened, scale in self._joints]
        before = self._fractions or [0.0] * len(seen)
        self._fractions = [b if isnan(f) else f for f, b in zip(seen, before, strict=True)]
        self.closing = sum(self._fractions) / len(self._fractions)
        self.farthest = min(self._fractions)
        short = ((1.0 - f) * t for f, t in zip(self._fractions, self._travels, strict=True))
        self.gap = sum(short)
        pairs = zip(self._fractions, self._reference, strict=False)
        if not self._reference or any(abs(f - r) > self._range for f, r in pairs):
            self._reference = self._fractions
            self.still_since_ns = time_ns


def _check(hand: HandDescription) -> None:
    count = len(hand.joints)
    if count == 0 or len(hand.opened) != count or len(hand.closed) != count:
        raise BadInput(
            "the finger joints' opened and closed positions are incomplete",
            where=f"hand {hand.name}",
            found={"joints": hand.joints, "opened": hand.opened, "closed": hand.closed},
            expected="as many numbers in opened and in closed as there are joints, at least one",
        )
