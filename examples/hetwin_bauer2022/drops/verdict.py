"""The true outcome of a drop, and its cause."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, sin

import numpy as np

from hetwin_bauer2022.containers import Container
from hetwin_bauer2022.tennis_table import BALL_RADIUS, TABLE_TOP
from hetwin_bauer2022.two_hands.witness import Sample, hold_mask, intervals
from hetwin_suite.model import Floats

FAILED_OPERATIONS = {
    "never_held": "grasp",
    "lost_on_the_way": "move",
    "missed": "release",
    "bounced_out": "release",
}
"""Cause -> operation of the program that failed."""
LIFTED_M = 0.03
"""Height above its initial position at which the ball counts as lifted [m]."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a drop.

    Attributes:
        success: whether the ball is in the container at the end.
        cause: cause of a failure: never_held, lost_on_the_way, missed, or bounced_out; else empty.
        margin: signed distance from the rim, positive inside, of the position at which the ball first fell to the
            rim's height after its release, or of its last position if it was never that high [m].
        released_at: end of the last hold [s]; None if the ball was never held.
        holds: start and end of all holds [s].
    """

    success: bool
    cause: str
    margin: float
    released_at: float | None
    holds: list[tuple[float, float]]


def judge(samples: list[Sample], container: Container, pose: Floats, opening: float) -> Verdict:
    """Evaluate an episode.

    Args:
        samples: samples of the ball.
        container: container to drop into.
        pose: (7,) true pose of the container.
        opening: time at which the hand opened [s].
    """
    holds = intervals(samples, hold_mask(samples))
    released_at = holds[-1][1] if holds else None
    margin = _margin(samples, container, pose, released_at)
    end = samples[-1].pose[:3]
    inside = container.margin(_in_container_frame(end[:2], pose)) > 0.0
    success = inside and end[2] < TABLE_TOP + container.height
    lifted = max(s.pose[2] for s in samples) - samples[0].pose[2] > LIFTED_M
    if success:
        cause = ""
    elif released_at is None or not lifted:
        cause = "never_held"
    elif released_at < opening - 0.02:
        cause = "lost_on_the_way"
    else:
        cause = "bounced_out" if margin > 0.0 else "missed"
    return Verdict(success, cause, margin, released_at, holds)


def _margin(
    samples: list[Sample], container: Container, pose: Floats, released_at: float | None
) -> float:
    height = TABLE_TOP + container.height + BALL_RADIUS
    falling = [s for s in samples if released_at is None or s.time >= released_at]
    position = falling[-1].pose[:2]
    for before, after in pairwise(falling):
        if before.pose[2] > height >= after.pose[2]:
            fraction = (before.pose[2] - height) / (before.pose[2] - after.pose[2])
            position = before.pose[:2] + fraction * (after.pose[:2] - before.pose[:2])
            break
    return container.margin(_in_container_frame(position, pose))


def _in_container_frame(xy: Floats, pose: Floats) -> Floats:
    """Return (2,) a point in the container's frame."""
    yaw = 2 * atan2(pose[6], pose[3])
    x, y = xy - pose[:2]
    return np.array([x * cos(yaw) + y * sin(yaw), y * cos(yaw) - x * sin(yaw)])
