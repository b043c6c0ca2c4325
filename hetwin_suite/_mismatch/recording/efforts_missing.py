"""Finger joints without efforts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class EffortsMissing(RecordingAxis):
    """A share of the finger joints, drawn, has no efforts."""

    name = "efforts_missing"
    unit = "factor"
    levels = (0.0, 0.25, 0.5, 0.75, 1.0)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 1.0)
    source = (
        "the DLR-Hand II has a torque sensor in each joint (its data sheet), the gripper of "
        "Franka's robots reports no efforts at all (github.com/frankarobotics/franka_ros, issue "
        "334)"
    )
    summary = "this share of the finger joints has no efforts; 1: none has any"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Take the efforts away, as if the field were empty where no joint of a message is left with any."""
        fingers = sorted(episode.closing)
        drawn = episode.random(self.name).permutation(fingers)
        missing = set(drawn[: round(level * len(fingers))].tolist())
        return [_without(one, missing) for one in recorded]


def _without(one: JointStates, missing: set[str]) -> JointStates:
    columns = one.columns(missing)
    if not columns or not one.efforts.shape[1]:
        return one
    if len(columns) == len(one.names):
        return replace(one, efforts=one.efforts[:, :0])
    efforts = one.efforts.copy()
    efforts[:, columns] = np.nan
    return replace(one, efforts=efforts)
