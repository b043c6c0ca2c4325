"""Events by time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from hetwin_core.episodes.tables.rows import Happening


class EventList(Sequence[Happening]):
    """Events until a time, in order.

    Args:
        happenings: all that were found; those at equal times in their order.
        until_ns: later ones are left out.
    """

    def __init__(self, happenings: Iterable[Happening], until_ns: int) -> None:
        found = [event for event in happenings if event.time_ns <= until_ns]
        self._events = sorted(found, key=lambda event: event.time_ns)
        self._named: dict[str, list[Happening]] = {}
        for event in self._events:
            self._named.setdefault(event.name, []).append(event)
        self._rows = {event.row: event for event in self._events}

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Happening]:
        return iter(self._events)

    @overload
    def __getitem__(self, index: int) -> Happening: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Happening]: ...

    def __getitem__(self, index: int | slice) -> Happening | Sequence[Happening]:
        return self._events[index]

    @property
    def names(self) -> list[str]:
        """All names, in the order in which they first happen."""
        return list(self._named)

    def named(self, name: str) -> Sequence[Happening]:
        """Return the events of a name, by time."""
        return self._named.get(name, ())

    def row(self, row: int) -> Happening:
        """Return the event of a number.

        Raises:
            KeyError: if there is none.
        """
        return self._rows[row]
