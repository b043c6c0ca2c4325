"""A socket that is not where the robot believes."""

from __future__ import annotations

from typing import Any

from hetwin_suite._mismatch.axis import BeliefAxis
from hetwin_suite._mismatch.belief.moved import moved_aside
from hetwin_suite._mismatch.facts import EpisodeFacts


class SocketPlace(BeliefAxis):
    """The socket is believed to be aside of where it is, beside the error of the recording's own belief."""

    name = "socket_place"
    unit = "m"
    levels = (0.0, 0.002, 0.005, 0.01, 0.02)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0091)
    source = (
        "look and move of a calibrated humanoid errs by 3.9 mm on average, 9.1 mm at worst "
        "(Tenhumberg et al., 2022, arXiv:2311.08338)"
    )
    summary = "the socket is believed this far aside, in a drawn direction"
    grasps = ("insertion",)

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Move the socket in the believed scene."""
        return moved_aside(scene, episode.target, (), level, episode.random(self.name))
