"""Fingers that are thicker or thinner than the real ones."""

from __future__ import annotations

from hetwin_suite._mismatch.axis import TwinAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.twin_files import TwinFiles, scale_attribute


class FingerThickness(TwinAxis):
    """The fingers of the twin's hands are thicker by a factor, at the same length and mass."""

    name = "finger_thickness"
    unit = "factor"
    none = 1.0
    levels = (0.9, 0.95, 1.0, 1.05, 1.1)
    lowest, highest = 0.2, 3.0
    source = "no measured figure was found"
    summary = "the radii of the twin's fingers are larger by this factor"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale the radii of all shapes of the links that the finger joints move."""
        for link in twin.links_moved_by(episode.closing):
            for shape in ("cylinder", "sphere", "capsule"):
                scale_attribute(link.iterfind(f".//{shape}"), "radius", level)
