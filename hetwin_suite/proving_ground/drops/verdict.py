"""How a drop really ended, and why."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import atan2, cos, sin

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.containers import Container
from hetwin_suite.proving_ground.tennis_table_sdf import BALL_RADIUS, TABLE_TOP
from hetwin_suite.proving_ground.two_hands.witness import Sample, held, intervals

LIFTED_M = 0.03
"""A ball this high above where it lay was lifted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of the ball.

    Attributes:
        success: it is in the container at the end.
        cause: of a failure: never_held, lost_on_the_way, missed, or bounced_out; else empty.
        margin: signed distance in m from the rim of the place where it first came down to the
            height of the rim after it was let go (if it was never so high: of where it ended);
            inside > 0.
        let_go: end of the last hold in s, None if it was never held.
        holds: begin and end of all holds in s.
    """

    success: bool
    cause: str
    margin: float
    let_go: float | None
    holds: list[tuple[float, float]]


def judge(samples: list[Sample], container: Container, pose: Floats, opening: float) -> Verdict:
    """Judge an episode.

    Args:
        samples: of the ball.
        container: the one that is used.
        pose: (7,) where it truly stands.
        opening: when the hand opened, in s.
    """
    holds = intervals(samples, held(samples))
    let_go = holds[-1][1] if holds else None
    margin = _margin(samples, container, pose, let_go)
    end = samples[-1].pose[:3]
    inside = container.margin(_local(end[:2], pose)) > 0.0
    success = inside and end[2] < TABLE_TOP + container.height
    lifted = max(s.pose[2] for s in samples) - samples[0].pose[2] > LIFTED_M
    if success:
        cause = ""
    elif let_go is None or not lifted:
        cause = "never_held"
    elif let_go < opening - 0.02:
        cause = "lost_on_the_way"
    else:
        cause = "bounced_out" if margin > 0.0 else "missed"
    return Verdict(success, cause, margin, let_go, holds)


def _margin(
    samples: list[Sample], container: Container, pose: Floats, let_go: float | None
) -> float:
    height = TABLE_TOP + container.height + BALL_RADIUS
    falling = [s for s in samples if let_go is None or s.time >= let_go]
    place = falling[-1].pose[:2]
    for before, after in pairwise(falling):
        if before.pose[2] > height >= after.pose[2]:
            share = (before.pose[2] - height) / (before.pose[2] - after.pose[2])
            place = before.pose[:2] + share * (after.pose[:2] - before.pose[:2])
            break
    return container.margin(_local(place, pose))


def _local(xy: Floats, pose: Floats) -> Floats:
    """(2,) in the container's frame."""
    yaw = 2 * atan2(pose[6], pose[3])
    x, y = xy - pose[:2]
    return np.array([x * cos(yaw) + y * sin(yaw), y * cos(yaw) - x * sin(yaw)])
