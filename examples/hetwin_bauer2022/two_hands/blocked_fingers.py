"""The simplest rule: fingers that stay blocked until the release hold an object."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_bauer2022.two_hands.joints import CLOSED, FINGERS, OPENED
from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading

MAX_CLOSURE = 0.9
"""Fraction of the travel from open to closed beyond which fingers are not blocked."""
MAX_CLOSING = 0.12
"""Fraction of the travel by which fingers may close after the grasp and still count as blocked."""


def were_blocked(readings: Sequence[Reading], bound: float, release: float) -> bool:
    """Whether the right hand's fingers stayed blocked from `bound` until `release` [s]."""
    hand_readings = [
        r for r in readings if r.joints == FINGERS["right"] and bound <= r.time <= release
    ]
    return stay_blocked(closures(np.array([r.positions for r in hand_readings])))


def closures(positions: Floats) -> Floats:
    """Return (n,) closure of fingers, 1 if fully closed, from (n, 3 per finger) positions of their joints."""
    fingers = positions.shape[1] // len(OPENED)
    travel = np.tile(CLOSED - OPENED, fingers)
    return np.asarray((positions - np.tile(OPENED, fingers)) @ travel / (travel @ travel))


def stay_blocked(shares: Floats) -> bool:
    """Whether fingers with (n,) closures stayed blocked all the time."""
    return bool(shares.max() < MAX_CLOSURE and shares.max() - shares[0] < MAX_CLOSING)
