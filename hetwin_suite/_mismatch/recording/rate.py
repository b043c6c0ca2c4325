"""A recording at a lower rate."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates

_SLACK = 1.01
"""A recorded rate may be a little lower than its nominal one."""


class Rate(RecordingAxis):
    """Of each publisher's joint states, only the one at or before each due time is kept."""

    name = "rate"
    unit = "Hz"
    none = 100.0
    levels = (15.0, 20.0, 30.0, 50.0, 100.0)
    lowest = 1.0
    hardware = (20.0, 333.0)
    source = (
        "ROS drivers of hands: 20 Hz is the default of robotiq_3f_gripper_control, 333 Hz the "
        "period of 3 ms of AllegroHand (both at docs.ros.org)"
    )
    summary = "joint states come this many times per second; hetwin record has 100"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Keep the last message at or before k / level after each publisher's first one, for k = 0, 1, ..."""
        highest = max(map(_recorded_rate, recorded), default=0.0)
        if level > _SLACK * highest:
            raise BadInput(
                "the recording has a lower rate",
                where="--mismatch",
                found=f"{self.name}={level:g}",
                expected=f"at most the recorded {highest:.4g} Hz",
            )
        return [one.messages(_kept(one, level)) for one in recorded]


def _recorded_rate(one: JointStates) -> float:
    return 1e9 / float(np.median(np.diff(one.stamps))) if len(one.stamps) > 1 else 0.0


def _kept(one: JointStates, rate: float) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    first, last = int(one.stamps[0]), int(one.stamps[-1])
    count = int((last - first) * rate / 1e9) + 1
    due = first + np.round(np.arange(count) * (1e9 / rate)).astype(np.int64)
    kept: np.ndarray[tuple[int], np.dtype[np.int64]] = np.unique(
        np.searchsorted(one.stamps, due, side="right") - 1
    )
    return kept
