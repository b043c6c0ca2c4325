"""An object that is not where the robot believes."""

from __future__ import annotations

from typing import Any

from hetwin_suite._mismatch.axis import BeliefAxis
from hetwin_suite._mismatch.belief.moved import moved_aside
from hetwin_suite._mismatch.facts import EpisodeFacts


class ObjectPlace(BeliefAxis):
    """The object, with what it lies on, is believed to be aside."""

    name = "object_place"
    unit = "m"
    levels = (0.0, 0.003, 0.006, 0.012, 0.024)
    lowest, highest = 0.0, 1.0
    hardware = (0.0, 0.0091)
    source = (
        "look and move of a calibrated humanoid errs by 3.9 mm on average, 9.1 mm at worst "
        "(Tenhumberg et al., 2022, arXiv:2311.08338)"
    )
    summary = "the object is believed this far aside, in a drawn direction, with what it lies on"

    def change(self, scene: dict[str, Any], level: float, episode: EpisodeFacts) -> dict[str, Any]:
        """Move the object and its support in the believed scene."""
        random = episode.random(self.name)
        return moved_aside(scene, episode.thing, episode.support, level, random)
