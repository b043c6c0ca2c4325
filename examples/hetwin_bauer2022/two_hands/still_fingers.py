"""The simplest rule: fingers that stay blocked until the release hold an object."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_bauer2022.two_hands.joints import CLOSED, FINGERS, OPENED
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

CLOSED_SHARE = 0.9
"""Fingers beyond this fraction of the travel from open to closed are not blocked."""
MOVED_SHARE = 0.12
"""Fingers that close by more than this after the hand has closed are not blocked any more."""


def blocked_until(readings: Sequence[Reading], bound: float, release: float) -> bool:
    """Whether the right hand's fingers were blocked from `bound` until `release`, both in s."""
    mine = [r for r in readings if r.joints == FINGERS["right"] and bound <= r.time <= release]
    return blocked(closed_shares(np.array([r.positions for r in mine])))


def closed_shares(positions: Floats) -> Floats:
    """Return (n,) how far fingers are closed, 1 if wholly, of (n, 3 for each) positions of their joints."""
    fingers = positions.shape[1] // len(OPENED)
    way = np.tile(CLOSED - OPENED, fingers)
    return np.asarray((positions - np.tile(OPENED, fingers)) @ way / (way @ way))


def blocked(shares: Floats) -> bool:
    """Whether fingers with (n,) shares of the way to closed stayed blocked all the time."""
    return bool(shares.max() < CLOSED_SHARE and shares.max() - shares[0] < MOVED_SHARE)
