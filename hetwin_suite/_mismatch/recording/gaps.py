"""A recording with gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates

PERIOD_NS = 2_000_000_000
"""There is one gap in each period of this length."""


class Gaps(RecordingAxis):
    """In every 2 s all joint states of a time are missing."""

    name = "gaps"
    unit = "s"
    levels = (0.0, 0.1, 0.3, 0.6, 1.0)
    lowest, highest = 0.0, 1.9
    source = (
        "no measured figure was found; joint states are often published best-effort, which may "
        "lose messages"
    )
    summary = "in every 2 s the joint states of this time are missing, at a drawn place"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Drop the messages stamped within the gaps; the first ones and the last incomplete 2 s stay."""
        if not recorded:
            return recorded
        first = min(int(one.stamps[0]) for one in recorded)
        last = max(int(one.stamps[-1]) for one in recorded)
        length = round(1e9 * level)
        shares = episode.random(self.name).random((last - first) // PERIOD_NS)
        begins = first + PERIOD_NS * np.arange(len(shares))
        begins = begins + np.round(shares * (PERIOD_NS - length)).astype(np.int64)
        return [one.messages(_outside(one, begins, length)) for one in recorded]


def _outside(one: JointStates, begins: NDArray[np.int64], length: int) -> NDArray[np.bool_]:
    since = one.stamps[:, None] - begins
    inside = (since >= 0) & (since < length)
    kept: NDArray[np.bool_] = np.logical_not(np.any(inside, axis=1))
    kept[0] = True
    return kept
