"""An offset of each finger joint."""

from __future__ import annotations

import numpy as np

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class FingerNoise(RecordingAxis):
    """Each finger joint reads wrong by a constant of its own, drawn from a normal distribution."""

    name = "finger_noise"
    unit = "rad"
    levels = (0.0, 0.0044, 0.0087, 0.0175, 0.0349)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.024)
    source = (
        "the DLR-Hand II has a greatest error of 3.7 mm between fingertips after calibration "
        "(17.7 mm before), as one joint of a finger of 155 mm 24 mrad (Tenhumberg et al., 2023, "
        "arXiv:2311.03957)"
    )
    summary = "each finger joint has a constant offset, drawn with this standard deviation"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offsets to the recorded positions."""
        fingers = sorted(episode.closing)
        drawn = level * episode.random(self.name).standard_normal(len(fingers))
        offsets = dict(zip(fingers, drawn.tolist(), strict=True))
        return [
            one.moved(np.array([offsets.get(name, 0.0) for name in one.names])) for one in recorded
        ]
