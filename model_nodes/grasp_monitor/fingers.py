"""The closing of the fingers, and since when they have been at rest."""

from __future__ import annotations

from math import expm1, isnan

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.hands import HandDescription
from hetwin_core.ensemble.scene.values import Floats

_NO_TRAVEL = 1e-9
OPENED = 0.08
"""Fingers that have opened by this share of their travel since they held let go: what slips pushes less ..."""
OPENING, OPENING_SPEED = 0.05, 0.15
"""... or by this share, while they go on at such a speed [1/s]."""
_SMOOTH_S = 0.03
"""The noise of their joints is averaged over about so long [s]."""


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
        let_go: whether they have opened since `hold`, from where they were closed the most.
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
                where=f"hands.{hand.name}.closed",
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
        self.let_go = False
        self._smooth = self._most = 0.0
        self._time_ns = 0

    def hold(self) -> None:
        """They hold something from now on."""
        self._smooth = self._most = self.closing

    def update(self, time_ns: int, positions: Floats) -> None:
        """Update with the finger joints' positions at a time, in the order of the hand's joints."""
        at = positions.tolist()
        seen = [(at[i] - opened) * scale for i, opened, scale in self._joints]
        before, was = self._fractions or [0.0] * len(seen), self.closing
        self._fractions = [b if isnan(f) else f for f, b in zip(seen, before, strict=True)]
        self.closing = sum(self._fractions) / len(self._fractions)
        self.farthest = min(self._fractions)
        self.gap, moved = 0.0, not self._reference
        reference = self._reference or self._fractions
        for f, travel, r in zip(self._fractions, self._travels, reference, strict=True):
            self.gap += (1.0 - f) * travel
            moved = moved or abs(f - r) > self._range
        self._follow(time_ns, was)
        if moved:
            self._reference = self._fractions
            self.still_since_ns = time_ns

    def _follow(self, time_ns: int, was: float) -> None:
        seconds, self._time_ns = (time_ns - self._time_ns) / 1e9, time_ns
        self._smooth -= (self.closing - self._smooth) * expm1(-seconds / _SMOOTH_S)
        self._most = max(self._most, self._smooth)
        opened = self._most - self._smooth
        goes_on = was - self.closing >= OPENING_SPEED * seconds
        self.let_go = opened >= OPENED or (opened >= OPENING and goes_on)


def _check(hand: HandDescription) -> None:
    count = len(hand.joints)
    if count == 0 or len(hand.opened) != count or len(hand.closed) != count:
        raise BadInput(
            "the finger joints' opened and closed positions are incomplete",
            where=f"hands.{hand.name}",
            found={"joints": hand.joints, "opened": hand.opened, "closed": hand.closed},
            expected="as many numbers in opened and in closed as there are joints, at least one",
        )
