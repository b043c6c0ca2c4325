"""Which events happened."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.episodes.asking.entities import Entities
from hetwin_core.episodes.asking.terms import Argument, Atom, Variable
from hetwin_core.episodes.asking.vocabulary import ABOUT, EVENTS, MOVES, Vocabulary
from hetwin_core.episodes.tables.rows import Happening, Interval

LOC_CHANGE = "loc_change"
SYMMETRIC = ("collision", "collision_end")
Wanted = tuple[frozenset[str] | None, ...]
"""What each argument of an event may be; None: anything."""


class Happenings:
    """Finds events by name and arguments.

    Args:
        events: of the episode, in order.
        entities: of the episode.
        vocabulary: of the episode.
    """

    def __init__(
        self, events: Iterable[Happening], entities: Entities, vocabulary: Vocabulary
    ) -> None:
        self._entities = entities
        self._vocabulary = vocabulary
        self._by_name: dict[str, list[Happening]] = {}
        self._by_row: dict[int, Happening] = {}
        for event in events:
            self._by_row[event.row] = event
            self._by_name.setdefault(event.name, []).append(event)

    def find(self, pattern: Atom, span: Interval | None = None) -> list[Happening]:
        """Return the events that a pattern stands for, in order.

        Raises:
            BadInput: if the event or an entity is not known.
        """
        names = self._vocabulary.event(pattern.name)
        events = self._by_name.get(pattern.name, [])
        wanted = self._wanted(pattern, names, events)
        inside = events if span is None else self._inside(events, span)
        return [event for event in inside if fits(event, names, wanted)]

    def matches(self, event: Happening, pattern: Atom) -> bool:
        """Return whether a pattern stands for an event.

        Raises:
            BadInput: if an entity is not known.
        """
        if event.name != pattern.name:
            return False
        names = self._vocabulary.event(pattern.name)
        return fits(event, names, self._wanted(pattern, names, [event]))

    def meant(self, pattern: Atom) -> Wanted:
        """Return what each argument of a pattern may be; None: anything.

        Raises:
            BadInput: if the event or an entity is not known.
        """
        names = self._vocabulary.event(pattern.name)
        return self._wanted(pattern, names, self._by_name.get(pattern.name, []))

    def named(self, name: str) -> Sequence[Happening]:
        """Return the events of a name, in order."""
        return self._by_name.get(name, ())

    def row(self, row: int) -> Happening:
        """Return the event of a number."""
        return self._by_row[row]

    def bindings(self, pattern: Atom, events: Iterable[Happening]) -> list[dict[str, str]]:
        """Return what the variables of a pattern stand for in events."""
        names = self._vocabulary.event(pattern.name)
        found: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
        for event in events:
            values = _values(event, names)
            pairs = zip(pattern.arguments, names, values, strict=False)
            one = {v.name or n: str(e) for v, n, e in pairs if isinstance(v, Variable)}
            if one:
                found.setdefault(tuple(one.items()), one)
        return list(found.values())

    def _inside(self, events: list[Happening], span: Interval) -> Iterator[Happening]:
        return (event for event in events if span.from_ns <= event.time_ns < span.to_ns)

    def _wanted(self, pattern: Atom, names: tuple[str, ...], events: list[Happening]) -> Wanted:
        if len(pattern.arguments) > len(names):
            raise BadInput(
                "this event has other arguments",
                found=str(pattern),
                expected=f"{pattern.name}({', '.join(names)})",
            )
        return tuple(
            self._one(argument, pattern.name, role, events)
            for argument, role in zip(pattern.arguments, names, strict=False)
        )

    def _one(
        self, argument: Argument, name: str, role: str, events: list[Happening]
    ) -> frozenset[str] | None:
        if isinstance(argument, Variable):
            return None
        if not isinstance(argument, str):
            raise BadInput(
                "an argument of an event must be a name, or any",
                where=name,
                found=argument,
                expected='names in quotes, e.g. picked_up("box")',
            )
        if argument in self._entities.names or argument == "robot":
            meant = self._entities.meant(argument, name)
            kinds = MOVES if name == LOC_CHANGE else ABOUT.get(role, ()) if name in EVENTS else ()
            about = {event.arguments.get(role) for event in events}
            if kinds and not meant & about:
                self._entities.check_kind(argument, kinds, f"{role} of {name}")
            return meant
        said = {v for event in events for v in event.arguments.values() if isinstance(v, str)}
        if argument not in said:
            known = [*self._entities.names, *sorted(said - {*self._entities.names})]
            raise BadInput("unknown entity", found=argument, expected=one_of(argument, known))
        return frozenset({argument})


def fits(event: Happening, names: tuple[str, ...], wanted: Wanted) -> bool:
    """Return whether an event's arguments are what is wanted; of a collision in either order."""
    values = _values(event, names)
    if _each(values, wanted):
        return True
    return event.name in SYMMETRIC and _each(list(reversed(values[:2])), wanted)


def _each(values: list[Json], wanted: Wanted) -> bool:
    if len(wanted) > len(values):
        return False
    return all(w is None or str(v) in w for v, w in zip(values, wanted, strict=False))


def _values(event: Happening, names: tuple[str, ...]) -> list[Json]:
    """Return an event's arguments in the order of their names; those without a name there come last."""
    arguments: Mapping[str, Json] = event.arguments
    named = [arguments.get(name) for name in names]
    return [*named, *(value for key, value in arguments.items() if key not in names)]
