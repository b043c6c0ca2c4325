"""An episode that is asked from Python, and by expressions in CEL."""

from __future__ import annotations

from functools import cached_property

from hetwin_core.episodes.asking.expressions.answered import Answered
from hetwin_core.episodes.asking.expressions.ask import Asking
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.tables.tables import Tables


class Asked(Questions):
    """What an episode can be asked, as terms and as expressions. Who inherits it provides the tables."""

    def ask(self, question: str, where: str = "") -> Answered:
        """Return the answer to a question that is an expression in CEL.

        Args:
            question: e.g. ``holds(on("box", "tray"), at(end))``.
            where: the place that it stands at, for errors.

        Raises:
            BadInput: if it is wrong: its syntax, a name, a time; the error names what would be right.
        """
        return self._asking.ask(question, where)

    @cached_property
    def _asking(self) -> Asking:
        return Asking(self)


class AskedTables(Asked):
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
