"""An episode that is asked from Python, and by expressions in CEL."""

from __future__ import annotations

from functools import cached_property

from hetwin_core.episodes.asking.expressions.answered import Answered
from hetwin_core.episodes.asking.expressions.ask import Asking
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.tables.tables import Tables


class AskedTables(Questions):
    """Tables that are asked.

    Args:
        tables: of an episode.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @property
    def tables(self) -> Tables:
        """The tables of the episode."""
        return self._tables
