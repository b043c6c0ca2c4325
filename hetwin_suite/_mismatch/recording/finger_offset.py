"""A common offset of all finger joints."""

from __future__ import annotations

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class FingerOffset(RecordingAxis):
    """All finger joints read too open by the level, or too closed if it is negative."""

    name = "finger_offset"
    unit = "rad"
    levels = (-0.0349, -0.0175, -0.0087, 0.0, 0.0087, 0.0175, 0.0349)
    lowest, highest = -1.0, 1.0
    hardware = (-0.024, 0.024)
    source = (
        "the DLR-Hand II has a greatest error of 3.7 mm between fingertips after calibration "
        "(17.7 mm before), as one joint of a finger of 155 mm 24 mrad (Tenhumberg et al., 2023, "
        "arXiv:2311.03957)"
    )
    summary = "all finger joints read too open by this angle; below 0: too closed"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Shift the recorded positions of all finger joints towards open."""
        return [one.moved(-level * one.of_each(episode.closing)) for one in recorded]
