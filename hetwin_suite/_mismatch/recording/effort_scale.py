"""Efforts in another scale."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_suite._mismatch.axis import RecordingAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.joint_states import JointStates


class EffortScale(RecordingAxis):
    """The efforts of all finger joints are wrong by a factor."""

    name = "effort_scale"
    unit = "factor"
    none = 1.0
    levels = (0.1, 0.3, 0.6, 1.0, 2.0)
    lowest, highest = 0.001, 1000.0
    hardware = (0.965, 1.035)
    source = (
        "a force sensor for robot fingers errs by 0.05 to 0.07 N on average up to 2 N, 3.5 % of "
        "its range (El-Azizi et al., 2024, arXiv:2410.03481); no figure for joint torques of "
        "fingers was found"
    )
    summary = "the efforts of all finger joints are multiplied by this factor"

    def change(
        self, recorded: list[JointStates], level: float, episode: EpisodeFacts
    ) -> list[JointStates]:
        """Multiply the efforts of the finger joints."""
        fingers = episode.closing
        return [_scaled(one, one.columns(fingers), level) for one in recorded]


def _scaled(one: JointStates, columns: list[int], factor: float) -> JointStates:
    if not one.efforts.shape[1]:
        return one
    factors = np.ones(len(one.names))
    factors[columns] = factor
    return replace(one, efforts=one.efforts * factors)
