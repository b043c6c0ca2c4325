"""What can be asked of the world and of beliefs alike."""

from __future__ import annotations

from hetwin_core.episodes.asking.answer import Answer
from hetwin_core.episodes.asking.holding import Holding
from hetwin_core.episodes.asking.terms import Term
from hetwin_core.episodes.asking.times import Asked, Sort, Window, whole, window
from hetwin_core.episodes.tables.tables import Tables


class Domain:
    """When terms hold, in the world or as the robot believes.

    Args:
        tables: of the episode.
        holding: finds out when terms hold there.
    """

    def __init__(self, tables: Tables, holding: Holding) -> None:
        self._tables = tables
        self._holding = holding

    def holds(self, term: Term, when: Asked) -> Answer:
        """Return whether a term holds at a time.

        Raises:
            BadInput: if a fluent, an entity or the time is not known.
        """
        return self._holding.ask(term, window(when, self._tables))

    def where(self, term: Term, during: Asked | None = None) -> Answer:
        """Return when a term holds, in an interval or all of the episode.

        Raises:
            BadInput: as `holds`.
        """
        return self._holding.ask(term, some_time(during, self._tables))


def some_time(when: Asked | None, tables: Tables) -> Window:
    """Return the window of 'some time in'; of all of the episode for None."""
    if when is None:
        return Window(Sort.DURING, whole(tables))
    found = window(when, tables)
    return found if found.sort is Sort.AT else Window(Sort.DURING, found.span)
