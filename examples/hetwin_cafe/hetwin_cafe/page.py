"""A section of a run's page: the temperature of the coffee."""

from __future__ import annotations

from hetwin_suite.episode import Episode
from hetwin_suite.page import Axis, Chart, Panel, Section, lines_over, time_span


def warmth(episode: Episode) -> Section | None:
    """Return a plot of the coffee's temperature; None for a run without coffee."""
    if ("cup", "temperature") not in episode.responsibilities:
        return None
    kelvin = episode.attribute("cup", "temperature")[:, 0]
    lines = [*lines_over(episode, {"coffee": kelvin}, ["#6f4e37"], unit="K")]
    return Section(
        "Coffee", "How warm it is.", Chart([Panel(lines, Axis("[K]"))], time_span(episode))
    )
