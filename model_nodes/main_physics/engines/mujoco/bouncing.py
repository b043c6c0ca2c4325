"""The damping ratio with which a contact leaves a given share of the speed.

A contact is a spring with a damper that pushes and never pulls, so it ends when its force is zero, before the spring
is as long as it was (T. Schwager and T. Poeschel, 2007). That a critically damped contact still bounces a little, by
0.13, is due to this; less than that is not possible here.
"""

from __future__ import annotations

from math import atan2, exp, pi, sqrt

_HALVINGS = 50
BOUNCING_SHARE = 1e6
"""How much more the surface that bounces counts in a contact."""


def damping_ratio(bounce: float) -> float:
    """Return the damping ratio, at most 1, of contacts after which this share of the speed is left.

    Args:
        bounce: from 0 to below 1.
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if _share_left(middle) > bounce:
            low = middle
        else:
            high = middle
    return high


def bouncing(bounce: float, contact_time: float) -> list[float]:
    """Return time constant [s] and damping ratio of the contacts of a surface.

    Args:
        bounce: from 0 to below 1.
        contact_time: time constant of contacts that do not bounce [s].
    """
    ratio = damping_ratio(bounce)
    return [contact_time / ratio, ratio]


def _share_left(ratio: float) -> float:
    """Return the share of the speed that is left after a contact with a damping ratio between 0 and 1."""
    root = sqrt(1.0 - ratio * ratio)
    if root == 0.0:
        return exp(-2.0)
    duration = pi - atan2(2.0 * ratio * root, 1.0 - 2.0 * ratio * ratio)
    return exp(-ratio / root * duration)
