"""Efforts that are not zero at rest."""

from __future__ import annotations

from dataclasses import replace

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class EffortOffset(RecordingAxis):
    """The efforts of all finger joints have an offset towards closing, or towards opening if it is negative."""

    name = "effort_offset"
    unit = "N m"
    levels = (-0.1, -0.03, 0.0, 0.03, 0.1)
    lowest, highest = -10.0, 10.0
    hardware = (-0.006, 0.006)
    source = (
        "a force sensor for robot fingers errs by 0.05 to 0.07 N on average up to 2 N (El-Azizi "
        "et al., 2024, arXiv:2410.03481), 6 mN m at 85 mm; no figure for joint torques of "
        "fingers was found"
    )
    summary = "all finger joints seem to close with this much more torque; below 0: to open"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offset to the efforts of the finger joints, in the direction in which each closes."""
        return [
            replace(one, efforts=one.efforts + level * one.of_each(episode.closing))
            if one.efforts.shape[1]
            else one
            for one in recorded
        ]
