"""A section of the page of a run: how warm the coffee was."""

from __future__ import annotations

from hetwin_suite.episode import Episode
from hetwin_suite.page import Document, card, figure, line


def warmth(episode: Episode, document: Document) -> str:
    """Return a plot of how warm the coffee is; nothing for a run without coffee."""
    if ("cup", "temperature") not in episode.responsibilities:
        return ""
    kelvin = episode.attribute("cup", "temperature")[:, 0]
    drawn = figure([line(episode.seconds, kelvin, "coffee", "#6f4e37")], 240)
    return card("Coffee", "How warm it is [K].", document.plot(drawn))
