"""Links to times, which every plot over time then shows."""

from __future__ import annotations

from hetwin_core.ensemble.words import seconds

TIMELINE = "timeline"
"""Name of the section that times link to."""


def time_link(time_ns: int) -> str:
    """Return a link to a time in the time line, as HTML."""
    return (
        f'<a class="time" href="#{TIMELINE}" data-time="{time_ns / 1e9:.6g}">{seconds(time_ns)}</a>'
    )
