"""The wording of concerns and touches: what robot and objects do, in one line without its time."""

from __future__ import annotations

from collections.abc import Mapping

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.nearest import some
from hetwin_core.ensemble.sentences.catalogue import group, say

ROBOT_HEALTH = "robot_health"
"""Name and type of the observer that raises concerns; it is added to ensembles whose main model can be watched."""
TOUCHED, TOUCH_ENDED = "touched", "touch_ended"
"""Its events about what links of the robot touch, which are no concerns."""

COVERAGE = "coverage"
"""Name of the event with which this observer says that a claim is checked from then on, or not."""

CLOSED_ON_SOMETHING = "closed_on_something"
"""Event of a grasp monitor: the fingers have closed and stopped short of their end, with nothing of the scene between
them: on something that the scene does not have, or as they were commanded."""
LET_GO_OF_SOMETHING = "let_go_of_something"
"""That is over: the fingers opened, closed further to their end, or hold an object of the scene."""
MENDED, BREAKS_OFF = "mended", "breaks_off"
"""Findings about messages of a recording that were out of order, misdated or no numbers, and about cut files."""
DROPPED = "dropped"
"""The event of an observer of hands that is a concern where it was not meant; it then has a severity."""

_MOST_NAMED = 4
"""So many joints are named, others are counted."""
_UNSAID = ("severity", "from", "to")


def concern_text(name: str, arguments: Mapping[str, Json]) -> str:
    """A concern in words, e.g. ``forearm is 3.2 cm inside table``; any name and arguments have some."""
    begun, ended = arguments.get("from"), arguments.get("to")
    known = isinstance(begun, float) and isinstance(ended, float)
    lasted = ended - begun if known else None  # type: ignore[operator]
    key = f"{name}_{arguments.get('what')}" if name == MENDED else name
    if key in group("concern"):
        lists = {
            k: some(map(str, v), _MOST_NAMED) for k, v in arguments.items() if isinstance(v, list)
        }
        try:
            return say(f"concern.{key}", **{**arguments, **lists, "lasted": lasted})
        except (KeyError, TypeError, ValueError):
            pass  # of an older or newer version
    said = ", ".join(
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in arguments.items()
        if value is not None and key not in _UNSAID
    )
    return name.replace("_", " ") + (f" ({said})" if said else "")
