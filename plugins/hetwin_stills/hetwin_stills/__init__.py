"""Renders pictures of a run without a display, for pages of many runs and for files.

For example::

    import hetwin_suite
    from hetwin_stills import Moment, missing, stills
    from hetwin_suite.episode import open_episode

    summary = hetwin_suite.run("pick_and_place", duration=0.1)
    episode = open_episode(summary.log)
    drawn = [] if missing() else stills(episode, [Moment(episode.end_ns, "the end")])
    print([still.what for still in drawn])
"""

from __future__ import annotations

from hetwin_stills.drawing import Drawing, NoGraphics, missing
from hetwin_stills.pictures import Moment, Still, picture, stills, views

__all__ = [
    "Drawing",
    "Moment",
    "NoGraphics",
    "Still",
    "missing",
    "picture",
    "stills",
    "views",
]
