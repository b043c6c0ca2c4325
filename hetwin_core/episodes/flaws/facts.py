"""What the rules look up in an episode's tables."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property

from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.tables.rows import BORNE, DERIVED, Happening, Interval, Occasion
from hetwin_core.episodes.tables.tables import Tables


class Facts:
    """The occasions and events of an episode, found by fluent or name and by entity.

    Args:
        tables: of the episode.
        expectations: of its tasks.
    """

    def __init__(self, tables: Tables, expectations: Expectations) -> None:
        self.tables = tables
        self.expectations = expectations
        self.bodies = expectations.bodies
        self.named = expectations.named

    def known(self, fluent: str) -> bool:
        """Return whether the log can know a fluent."""
        return fluent in self.tables.recorded

    def events(self, *names: str, about: str = "") -> list[Happening]:
        """Return the events of some names, in order; those about one entity if it is named."""
        if len(names) == 1 and not about:
            return list(self.tables.events.named(names[0]))
        rows = [row for name in names for row in self.tables.events.named(name)]
        rows.sort(key=lambda row: (row.time_ns, row.row))
        return [row for row in rows if not about or row.arguments.get("object") == about]

    def during(self, fluent: str, entity: str, span: Interval) -> Iterator[Occasion]:
        """Yield the occasions of a fluent that an entity is in, on either side, and that touch an interval."""
        for rows in self._occasions.get((fluent, entity), {}).values():
            begin = bisect_left(rows, span.from_ns, key=lambda row: row.span.to_ns)
            for row in rows[begin:]:
                if row.span.from_ns > span.to_ns:
                    break
                yield row

    def at(self, fluent: str, entity: str, time_ns: int) -> list[Occasion]:
        """Return those of `of` that hold at a time."""
        rows = self.during(fluent, entity, Interval(time_ns, time_ns))
        return [row for row in rows if row.span.from_ns <= time_ns < row.span.to_ns]

    def supports(self, entity: str, time_ns: int) -> list[str]:
        """Return what an entity stands on at a time."""
        return [row.b for row in self.at(BORNE, entity, time_ns) if row.a == entity]

    def holder(self, entity: str, time_ns: int) -> str:
        """Return the hand that holds an entity at a time; empty if none does."""
        return next((r.b for r in self.at("held", entity, time_ns) if r.a == entity), "")

    def carried_by(self, hand: str, time_ns: int) -> list[str]:
        """Return what a hand holds at a time."""
        return [row.a for row in self.at("held", hand, time_ns) if row.b == hand]

    @cached_property
    def grips(self) -> list[Occasion]:
        """When hands held objects, by begin: as the log says; of what no model watches, by force dynamics."""
        held = self.tables.occasions.find("held")
        return sorted((*held, *self._felt_grips()), key=lambda row: (row.span, row.row))

    def _felt_grips(self) -> Iterator[Occasion]:
        """Yield when objects without an attribute ``held`` moved with a hand that picked them up."""
        for event in self.events("pick_up"):
            name, hand = (str(event.arguments.get(key) or "") for key in ("object", "hand"))
            if event.source != DERIVED or self.tables.layout.has(name, "held"):
                continue
            links = self.bodies.stands_for(hand)
            rows = [
                row
                for row in self.tables.occasions.find("attached", name)
                if row.b in links and row.span.from_ns <= event.time_ns <= row.span.to_ns
            ]
            if rows:
                begin, end = (f(row.span[i] for row in rows) for i, f in enumerate((min, max)))
                ended = all(row.ended for row in rows)
                yield Occasion(rows[0].row, "held", name, hand, Interval(begin, end), ended)

    @cached_property
    def _occasions(self) -> dict[tuple[str, str], dict[str, list[Occasion]]]:
        """By fluent and entity, then by the other entity: those of one pair do not overlap."""
        found: dict[tuple[str, str], dict[str, list[Occasion]]] = {}
        others = (row for row in self.tables.occasions if row.fluent != "held")
        for row in sorted((*others, *self.grips), key=lambda row: (row.span.from_ns, row.row)):
            for one, other in {(row.a, row.b), (row.b, row.a)}:
                if one:
                    found.setdefault((row.fluent, one), {}).setdefault(other, []).append(row)
        return found
