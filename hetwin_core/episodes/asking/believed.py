"""What the robot believes."""

from __future__ import annotations

from hetwin_core.episodes.asking.believed_events import BelievedEvents
from hetwin_core.episodes.asking.domain import Domain, some_time
from hetwin_core.episodes.asking.holding import Holding
from hetwin_core.episodes.asking.terms import Atom
from hetwin_core.episodes.asking.times import Asked
from hetwin_core.episodes.tables.rows import Happening
from hetwin_core.episodes.tables.tables import Tables


class Believed(Domain):
    """When the robot believes terms, and which events it believes to have happened.

    Args:
        tables: of the episode.
        holding: finds out when terms are believed.
        events: finds believed events.
    """

    def __init__(self, tables: Tables, holding: Holding, events: BelievedEvents) -> None:
        super().__init__(tables, holding)
        self._events = events

    def occurs(self, pattern: Atom, when: Asked | None = None) -> tuple[Happening, ...]:
        """Return the events of a pattern that the robot believes to have happened.

        Percepts are such events, and ``picked_up`` and ``put_down`` (or ``pick_up``, ``set_down``) at the end of a task
        that is done with the goal ``held`` or ``on``.

        Raises:
            BadInput: if the event, an entity or the time is not known, or there is no such event in beliefs.
        """
        return tuple(self._events.find(pattern, some_time(when, self._tables).span))
