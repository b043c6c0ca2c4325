"""Links to times, which every plot over time then shows."""

from __future__ import annotations

from hetwin_core.ensemble.words import seconds

TIMELINE = "timeline"
"""Name of the section that times link to."""


def time_link(time_ns: int, digits: int = 2) -> str:
    """Return a link to a time in the time line, as HTML."""
    words = seconds(time_ns, digits)
    return f'<a class="time" href="#{TIMELINE}" data-time="{time_ns / 1e9:.9g}">{words}</a>'
