"""An object that is heavier or lighter than the real one."""

from __future__ import annotations

from hetwin_suite._mismatch.axis import TwinAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.twin_files import TwinFiles, scale


class Mass(TwinAxis):
    """The twin's object is heavier by a factor, at the same size."""

    name = "mass"
    unit = "factor"
    none = 1.0
    levels = (0.5, 0.8, 1.0, 1.25, 2.0)
    lowest, highest = 0.01, 100.0
    hardware = (0.966, 1.024)
    source = (
        "tennis balls have 56.0 to 59.4 g, hetwin's has 58 g (International Tennis Federation, "
        "Rules of Tennis, Appendix I)"
    )
    summary = "the twin's object is heavier by this factor"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale mass and moments of inertia of the object."""
        model = twin.model(episode.thing)
        scale(model.iterfind("link/inertial/mass"), level)
        scale(model.iterfind("link/inertial/inertia/*"), level)
