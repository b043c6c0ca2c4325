"""The distribution of recorded episodes: counts, and the difficulty of telling successes from failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_bauer2022.tennis_table import BALL_RADIUS
from hetwin_suite.episode import counts

RULE_MOST = 0.8
"""Accuracy of the rule of blocked fingers above which the episodes are too easy."""
NEAR_LEAST = 0.2
"""Minimum share of episodes that should end close to the boundary between in and out."""


def distribution(summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compute counts and shares.

    Args:
        summaries: summaries with label and cause; drops also have container, margin [m] and blocked_until_release.
    """
    count = len(summaries)
    found = counts(summaries)
    if "container" in summaries[0]:
        found["containers"] = dict(sorted(Counter(s["container"] for s in summaries).items()))
    if "margin" in summaries[0]:
        near = sum(abs(s["margin"]) < BALL_RADIUS for s in summaries)
        found["near_boundary"] = {
            "within_m": BALL_RADIUS,
            "share": round(near / count, 4),
            "least": NEAR_LEAST,
        }
    if "drawn_again" in summaries[0]:
        found["drawn_again"] = sum(s["drawn_again"] for s in summaries)
    if "blocked_until_release" in summaries[0]:
        right = sum(s["blocked_until_release"] == (s["label"] == "success") for s in summaries)
        found["rule_blocked_means_success"] = {
            "right": right,
            "of": count,
            "accuracy": round(right / count, 4),
            "most": RULE_MOST,
        }
    return found
