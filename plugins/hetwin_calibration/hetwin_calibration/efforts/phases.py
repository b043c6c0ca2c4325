"""Kinds of contact phases: what a joint does while something pushes it."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from hetwin_calibration.efforts.samples import Samples
from hetwin_calibration.efforts.splitting import Bools
from hetwin_suite.model import Floats

RESTS = 0.02
"""A slower joint rests [rad/s or m/s]."""
MOVES = 0.08
"""A faster joint moves [rad/s or m/s]."""
BEFORE_S = 0.4
"""A joint that stalls moved this long before [s]."""
HELD_S = 0.12
"""Shortest rest of a stall, and of a joint that slips afterwards [s]."""


class Phase(StrEnum):
    """The kind of a contact phase."""

    TOUCH = "touch"
    """The joints go on as they did."""
    STALL = "stall"
    """A joint that moved comes to rest against what pushes it."""
    SLIP = "slip"
    """A joint that rested against what pushes it breaks away."""


def phase_of(samples: Samples, begin: float, end: float, joints: list[int]) -> Phase:
    """Return the kind of a contact phase.

    Args:
        samples: of the arm.
        begin, end: of the phase, in the time of the samples [s].
        joints: indices of the joints that feel it.
    """
    speeds = np.abs(samples.motion[1])[:, joints]
    times = samples.times
    before = (times >= begin - BEFORE_S) & (times < begin)
    during = (times >= begin) & (times <= end + HELD_S)
    if not before.any() or not during.any():
        return Phase.TOUCH
    count = max(1, round(HELD_S / samples.period))
    for before_it, speed in zip(speeds[before].T, speeds[during].T, strict=True):
        rests = _lasting(speed < RESTS, count)
        if not rests.any():
            continue
        if (speed[int(rests.argmax()) :] > MOVES).any():
            return Phase.SLIP
        if _most(before_it) > MOVES:
            return Phase.STALL
    return Phase.TOUCH


def _lasting(is_so: Bools, count: int) -> Bools:
    """Whether something was so for this many samples in a row, up to each."""
    found = is_so.copy()
    for shift in range(1, count):
        found[shift:] &= is_so[:-shift]
        found[:shift] = False
    return found


def _most(values: Floats) -> float:
    return float(values.max(initial=0.0))
