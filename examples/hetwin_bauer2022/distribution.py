"""The distribution of recorded episodes: counts, and the difficulty of telling successes from failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hetwin_bauer2022.tennis_table import BALL_RADIUS
from hetwin_suite.episode import counts

MAX_RULE_ACCURACY = 0.8
"""Accuracy of the rule of blocked fingers above which the episodes are too easy."""
MIN_NEAR_SHARE = 0.2
"""Minimum share of episodes that should end close to the boundary between in and out."""


def distribution(summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Compute counts and shares.

    Args:
        summaries: summaries with label and cause; drops also have container, margin [m] and blocked_until_release.
    """
    count = len(summaries)
    result = counts(summaries)
    if "container" in summaries[0]:
        result["containers"] = dict(sorted(Counter(s["container"] for s in summaries).items()))
    if "margin" in summaries[0]:
        near_count = sum(abs(s["margin"]) < BALL_RADIUS for s in summaries)
        result["near_boundary"] = {
            "within_m": BALL_RADIUS,
            "share": round(near_count / count, 4),
            "least": MIN_NEAR_SHARE,
        }
    if "drawn_again" in summaries[0]:
        result["drawn_again"] = sum(s["drawn_again"] for s in summaries)
    if "blocked_until_release" in summaries[0]:
        correct = sum(s["blocked_until_release"] == (s["label"] == "success") for s in summaries)
        result["rule_blocked_means_success"] = {
            "right": correct,
            "of": count,
            "accuracy": round(correct / count, 4),
            "most": MAX_RULE_ACCURACY,
        }
    return result
