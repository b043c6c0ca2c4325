"""What the robot, or what it carries, touches without that being expected of its tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.flaws.facts import Facts
from hetwin_core.episodes.flaws.moves import LETTING_GO_NS, SECOND
from hetwin_core.episodes.tables.fluents import BORNE
from hetwin_core.episodes.tables.rows import DERIVED, Interval, Occasion

LIFTING_NS = 500_000_000
"""What a hand has just lifted may touch its support for so long yet [ns]."""
APART_NS = SECOND
"""Touches of one body that are not farther apart count as one [ns]."""


@dataclass(frozen=True, slots=True)
class Touch:
    """The robot, or what it carries, touches a body.

    Attributes:
        body: that is touched.
        by: the link, or what is carried.
        hand: that carries it; empty for a link.
        carried: what the robot carries meanwhile.
        span: from the first contact to the last.
        rows: of the contacts.
        event_row: of the event that tells of it, if no contact does; else -1.
    """

    body: str
    by: str
    hand: str
    carried: tuple[str, ...]
    span: Interval
    rows: tuple[Occasion, ...] = ()
    event_row: int = -1


class Touches:
    """Finds the unexpected touches of an episode.

    Args:
        facts: of the episode.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    @cached_property
    def all(self) -> list[Touch]:
        """All unexpected touches, by begin; those of one body by one hand or robot are put together."""
        found: list[Touch] = []
        open_ones: dict[tuple[str, str], int] = {}
        for touch in sorted((*self._contacts(), *self._told()), key=lambda touch: touch.span):
            key = touch.body, self._owner(touch.hand or touch.by)
            at = open_ones.get(key)
            if at is not None and touch.span.from_ns <= found[at].span.to_ns + APART_NS:
                found[at] = _joined(found[at], touch)
            else:
                open_ones[key] = len(found)
                found.append(touch)
        return found

    def _contacts(self) -> Iterator[Touch]:
        facts, links = self._facts, self._facts.bodies.links
        begun = {
            (event.time_ns, frozenset((event.arguments.get("a"), event.arguments.get("b"))))
            for event in facts.events("collision")
            if event.source == DERIVED
        }
        for row in facts.tables.occasions.find("contact"):
            if (row.span.from_ns, frozenset((row.a, row.b))) not in begun:
                continue  # it holds from the start
            if row.a in links or row.b in links:
                yield from self._by_link(row)
            else:
                yield from self._by_carried(row)

    def _by_link(self, row: Occasion) -> Iterator[Touch]:
        link, body = (row.a, row.b) if row.a in self._facts.bodies.links else (row.b, row.a)
        if self._facts.holder(body, row.span.from_ns) or self._held_soon(body, row.span.from_ns):
            return
        if self._is_expected(link, body, row.span.from_ns):
            return
        yield Touch(body, link, "", self._carried(link, row.span.from_ns), row.span, (row,))

    def _held_soon(self, body: str, time_ns: int) -> bool:
        """Whether a hand holds it a moment before or after, and so knows what it does."""
        around = Interval(time_ns - LETTING_GO_NS, time_ns + LETTING_GO_NS)
        return any(row.a == body for row in self._facts.during("held", body, around))

    def _by_carried(self, row: Occasion) -> Iterator[Touch]:
        time_ns, facts = row.span.from_ns, self._facts
        for carried, body in ((row.a, row.b), (row.b, row.a)):
            grips = [g for g in facts.at("held", carried, time_ns) if g.a == carried]
            if not grips or facts.holder(body, time_ns):
                continue
            grip = grips[0]
            if self._just_lifted(carried, body, grip, time_ns) or self._is_set_down(row, grip):
                continue
            if not self._is_expected(carried, body, time_ns):
                yield Touch(body, carried, grip.b, (carried,), row.span, (row,))

    def _just_lifted(self, carried: str, body: str, grip: Occasion, time_ns: int) -> bool:
        """Whether it is what it stood on, which it left only now."""
        if time_ns < grip.span.from_ns + LIFTING_NS:
            return True
        before = Interval(time_ns - LIFTING_NS, time_ns - 1)
        for row in self._facts.during("contact", carried, before):
            if body in (row.a, row.b) and row.span.from_ns < grip.span.from_ns + LIFTING_NS:
                return True
        return False

    def _is_set_down(self, row: Occasion, grip: Occasion) -> bool:
        """Whether it is what the hand sets it down on: the touch lasts until the hand lets go."""
        lasts = row.span.to_ns >= grip.span.to_ns - LETTING_GO_NS
        other = row.b if row.a == grip.a else row.a
        below = Interval(grip.span.to_ns - LETTING_GO_NS, grip.span.to_ns + SECOND)
        rows = self._facts.during(BORNE, grip.a, below)
        return lasts and any(on.a == grip.a and on.b == other for on in rows)

    def _told(self) -> Iterator[Touch]:
        """Touches of links with static bodies and with each other, which `robot_health` tells of."""
        for event in self._facts.events("link_touches"):
            link, body = (str(event.arguments.get(key, "")) for key in ("link", "partner"))
            if "from" in event.arguments or event.arguments.get("severity") == "note":
                continue  # it is over, or has become worse; or it is hardly more than nothing
            if self._is_expected(link, body, event.time_ns):
                continue
            span = Interval(event.time_ns, event.time_ns)
            carried = self._carried(link, event.time_ns)
            yield Touch(body, link, "", carried, span, (), event.row)

    def _is_expected(self, one: str, other: str, time_ns: int) -> bool:
        """Whether it is, or there is no task that could tell."""
        found = self._facts.expectations.expects("collision", {"a": one, "b": other}, time_ns)
        return found is None or found

    def _carried(self, link: str, time_ns: int) -> tuple[str, ...]:
        """What the robot that a link belongs to carries."""
        owner = self._owner(link)
        hands = [h for h in self._facts.bodies.hands if self._owner(h) == owner]
        return tuple(name for hand in hands for name in self._facts.carried_by(hand, time_ns))

    def _owner(self, name: str) -> str:
        return self._facts.bodies.owner(name) or name

    def is_static(self, touch: Touch) -> bool:
        """Whether what is touched never moves."""
        return self._facts.bodies.kind(touch.body) is EntityKind.STATIC


def _joined(one: Touch, other: Touch) -> Touch:
    span = Interval(one.span.from_ns, max(one.span.to_ns, other.span.to_ns))
    return replace(one, span=span, rows=(*one.rows, *other.rows))
