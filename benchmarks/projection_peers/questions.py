"""The questions that all systems are asked, and whether an answer is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

QUESTIONS = {
    "at_end": "what stands where the object was put, at the end",
    "touched": "when the finger touched the object",
    "picked": "when the object was picked up",
    "pose": "where the object was at a time",
    "believed_wrongly": "when the object was believed more than 2 cm away for half a second",
    "always_high": "whether the object was higher than a limit all the time",
    "cause": "what made the other object fall",
}
_NEAR_S = 0.15
_NEAR_M = 1e-3


def right(question: str, found: Any, truth: Any) -> bool:
    """Return whether an answer is the right one: times within 0.15 s, places within 1 mm.

    Args:
        question: one of `QUESTIONS`.
        found: names, intervals, times, a place or a truth; of a cause the names of all that is named.
        truth: likewise; of a cause the times of the fall.
    """
    if question == "at_end":
        return sorted(found) == sorted(truth)
    if question == "cause":
        return bool(truth) and any("finger" in name for name in found)
    if question == "always_high":
        return bool(found) is bool(truth)
    if question == "pose":
        return bool(np.linalg.norm(np.asarray(found)[:3] - truth) <= _NEAR_M)
    return _same_times(found, truth)


def _same_times(found: Sequence[Any], truth: Sequence[Any]) -> bool:
    one, two = np.asarray(found, float), np.asarray(truth, float)
    return one.shape == two.shape and bool((np.abs(one - two) <= _NEAR_S).all())
