"""Kinds of contact phases, by the motion of the joints."""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from hetwin_calibration.efforts.samples import Samples
from hetwin_calibration.efforts.splitting import Bools
from hetwin_suite.model import Floats

RESTS = 0.02
"""Maximum speed of a resting joint [rad/s or m/s]."""
MOVES = 0.08
"""Minimum speed of a moving joint [rad/s or m/s]."""
BEFORE_S = 0.4
"""Duration before a contact in which a joint must have moved for a stall [s]."""
HELD_S = 0.12
"""Minimum rest of a stall, and of a joint before it slips [s]."""


class Phase(StrEnum):
    """The kind of a contact phase."""

    TOUCH = "touch"
    """The joints continue their motion."""
    STALL = "stall"
    """A moving joint comes to rest against the contact."""
    SLIP = "slip"
    """A joint that rested against the contact breaks away."""


def phase_of(samples: Samples, begin: float, end: float, joints: list[int]) -> Phase:
    """Return the kind of a contact phase.

    Args:
        samples: samples of the arm.
        begin, end: start and end of the phase, in the time of the samples [s].
        joints: indices of the joints that feel the contact.
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
    """Return, for each sample, whether a condition has held for this many consecutive samples."""
    found = is_so.copy()
    for shift in range(1, count):
        found[shift:] &= is_so[:-shift]
        found[:shift] = False
    return found


def _most(values: Floats) -> float:
    return float(values.max(initial=0.0))
