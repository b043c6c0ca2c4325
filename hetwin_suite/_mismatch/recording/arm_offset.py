"""An offset of each joint of the arm."""

from __future__ import annotations

import numpy as np

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class ArmOffset(RecordingAxis):
    """Each joint of the arm reads wrong by a constant of its own, drawn from a normal distribution."""

    name = "arm_offset"
    unit = "rad"
    levels = (0.0, 0.0026, 0.0052, 0.0105, 0.0175)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0036)
    source = (
        "the humanoid Agile Justin errs by 3.1 mm on average after calibration (21 mm before), "
        "as one joint of an arm of 0.87 m 3.6 mrad (Tenhumberg and Bäuml, 2023, "
        "arXiv:2311.08333)"
    )
    summary = "each joint of the arm has a constant offset, drawn with this standard deviation"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Add the offsets to the recorded positions."""
        arm = sorted(episode.arm_joints)
        drawn = level * episode.random(self.name).standard_normal(len(arm))
        offsets = dict(zip(arm, drawn.tolist(), strict=True))
        return [
            one.moved(np.array([offsets.get(name, 0.0) for name in one.names])) for one in recorded
        ]
