"""An object that is larger or smaller than the real one."""

from __future__ import annotations

from hetwin_suite._mismatch.axis import TwinAxis
from hetwin_suite._mismatch.facts import EpisodeFacts
from hetwin_suite._mismatch.twin_files import TwinFiles, scale, scale_position


class ObjectSize(TwinAxis):
    """What the fingers hold is larger in the twin by a factor, at the same mass."""

    name = "object_size"
    unit = "factor"
    none = 1.0
    levels = (0.95, 0.98, 1.0, 1.02, 1.05)
    lowest, highest = 0.5, 2.0
    hardware = (0.991, 1.039)
    source = (
        "tennis balls have 65.41 to 68.58 mm, hetwin's has 66 mm (International Tennis "
        "Federation, Rules of Tennis, Appendix I)"
    )
    summary = "the twin's object is larger by this factor; in insertions the radius of the handle"

    def change(self, twin: TwinFiles, level: float, episode: EpisodeFacts) -> None:
        """Scale all sizes of the object; where the fingers hold one part, the radius of that part."""
        for shape in twin.shapes(episode.thing, episode.held_part):
            if episode.held_part:
                scale(shape.iterfind("geometry//radius"), level)
                continue
            for size in ("radius", "length", "size"):
                scale(shape.iterfind(f"geometry//{size}"), level)
            scale_position(shape.find("pose"), level)
        if not episode.held_part:
            scale(twin.model(episode.thing).iterfind("link/inertial/inertia/*"), level**2)
