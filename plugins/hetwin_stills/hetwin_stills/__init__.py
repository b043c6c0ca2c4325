"""Renders pictures of a run without a display, for pages of many runs and for files.

For example::

    import hetwin_suite
    from hetwin_stills import Moment, missing_packages, stills
    from hetwin_suite.episode import open_episode

    summary = hetwin_suite.run("pick_and_place", duration=0.1)
    episode = open_episode(summary.log)
    drawn = [] if missing_packages() else stills(episode, [Moment(episode.end_ns, "the end")])
    print([still.caption for still in drawn])
"""

from __future__ import annotations

from hetwin_stills.drawing import Drawing, NoGraphics, missing_packages
from hetwin_stills.pictures import Moment, Still, choose_views, picture, stills

__all__ = [
    "Drawing",
    "Moment",
    "NoGraphics",
    "Still",
    "choose_views",
    "missing_packages",
    "picture",
    "stills",
]
