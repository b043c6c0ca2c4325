"""Motions of free objects: how they leave their position, or come to rest after a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.tables.rows import BORNE, Happening, Interval, Occasion

UPSETS = ("toppled", "fell", "left_the_world", "flung")
SECOND = 1_000_000_000
RELEASE_NS = 300_000_000
"""Maximum time for which opening fingers still touch the released object [ns]."""
CAUSE_NS = 300_000_000
"""Maximum time between a link's touch and the start of a motion that it may have caused [ns]."""
BODY_CAUSE_NS = 100_000_000
"""Until this time after the start of a motion, a touch of another moving body may have caused it [ns]; later touches
are its effects.
"""
LATE_NS = 700_000_000
"""Maximum delay of an event of toppling or falling after the object has come to rest [ns]."""
COS_TILT = float(np.cos(np.radians(8.0)))
"""Cosine of the minimum tilt of a tipping object."""
MIN_SLIP = 0.015
"""Minimum displacement of a slipping object [m]."""
SETTLING_NS = 5 * SECOND
"""Maximum time after its release for an object that leaves its support to count as placed unstably [ns]."""


@dataclass(frozen=True, slots=True)
class Move:
    """A motion of an object from its release or departure until it is at rest.

    Attributes:
        number: index among all motions.
        object: the moving object.
        span: from its departure, or its release in motion, until it is at rest or held again.
        grip: the hold that ended in this motion, or shortly before; None without one.
        in_motion: whether that hold ended in the motion itself.
        left: its support, or the body that it touched on release, which it then left; empty without one.
        parted_ns: when it started to leave that body.
        reached: its support afterwards; empty without one.
        upsets: events of toppling, falling ...
        blows: contacts with bodies that may have caused the motion, by start time.
    """

    number: int
    object: str
    span: Interval
    grip: Occasion | None
    in_motion: bool
    left: str
    parted_ns: int
    reached: str
    upsets: tuple[Happening, ...]
    blows: tuple[Occasion, ...]

    @property
    def hand(self) -> str:
        """The hand that held it before; empty if there was none."""
        return "" if self.grip is None else self.grip.b

    @property
    def released_ns(self) -> int | None:
        """When that hold ended [ns]; None if there was none."""
        return None if self.grip is None else self.grip.span.to_ns

    @property
    def upset(self) -> list[str]:
        """Kinds of its upsets: toppled, fell ..."""
        return sorted({event.name for event in self.upsets})

    @property
    def struck(self) -> bool:
        """Whether a contact may have caused the motion."""
        return bool(self.blows)

    @property
    def evidence(self) -> tuple[Happening | Occasion, ...]:
        """The supporting rows."""
        return (*self.upsets, *self.blows, *(() if self.grip is None else (self.grip,)))

    def other(self, contact: Occasion) -> str:
        """Return the other body of a contact."""
        return contact.b if contact.a == self.object else contact.a


class Moves:
    """Finds the motions of an episode's objects.

    Args:
        facts: facts of the episode.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._end_ns = facts.tables.known_until_ns

    @cached_property
    def all(self) -> list[Move]:
        """All motions, by object and time."""
        objects = self._facts.tables.layout.of_kind(EntityKind.OBJECT)
        found: list[Move] = []
        for entity in objects:
            for span in self._moving_spans(entity.name):
                move = self._move(len(found), entity.name, span)
                if move is not None:
                    found.append(move)
        return found

    def _moving_spans(self, name: str) -> Iterator[Interval]:
        """Yield the intervals in which an object was not at rest."""
        rests = sorted(self._facts.tables.occasions.find("loc", name), key=lambda row: row.span)
        for one, other in pairwise(rests):
            yield Interval(one.span.to_ns, other.span.from_ns)
        if rests and rests[-1].ended:
            yield Interval(rests[-1].span.to_ns, self._end_ns)

    def _move(self, number: int, name: str, span: Interval) -> Move | None:
        since = Interval(span.from_ns - SETTLING_NS, span.to_ns)
        grips = [g for g in self._facts.during("held", name, since) if g.a == name]
        last = max(grips, key=lambda g: g.span.to_ns, default=None)
        if last is not None and (not last.ended or last.span.to_ns >= span.to_ns):
            return None  # it is still held when it comes to rest
        in_motion = last is not None and last.span.to_ns > span.from_ns
        begin = last.span.to_ns if last is not None and in_motion else span.from_ns
        free = Interval(begin, span.to_ns)
        left, reached = self._start_support(name, free), self._end_support(name, free.to_ns)
        upsets = tuple(self._upsets(name, free))
        return Move(
            number,
            name,
            free,
            last,
            in_motion,
            left,
            self._departure_ns(name, left, free, last)
            if upsets or left != reached
            else free.from_ns,
            reached,
            upsets,
            tuple(self._find_blows(name, free, last)),
        )

    def _start_support(self, name: str, free: Interval) -> str:
        """Return its support at the start of the motion; without one, a body that it touched then."""
        standing = self._facts.supports(name, free.from_ns - 1)
        if standing:
            return standing[0]
        around = Interval(free.from_ns, free.from_ns + RELEASE_NS)
        touched = sorted(self._facts.during("contact", name, around), key=lambda row: row.span)
        others = (row.b if row.a == name else row.a for row in touched)
        return next((other for other in others if other not in self._facts.bodies.links), "")

    def _departure_ns(self, name: str, left: str, free: Interval, last: Occasion | None) -> int:
        """Return the time at which it started to tip or slip, else left its support, else was released."""
        tip_ns = self._tip_ns(name, free if last is None else Interval(last.span.to_ns, free.to_ns))
        if tip_ns is not None:
            return tip_ns
        rows = [r for r in self._facts.during(BORNE, name, free) if (r.a, r.b) == (name, left)]
        ends = [row.span.to_ns for row in rows if row.ended and row.span.to_ns <= free.to_ns]
        if not ends:
            return free.from_ns
        end = Interval(max(ends), max(ends))
        begins = [row.span.from_ns for row in self._facts.during("moving", name, end)]
        return max(free.from_ns, min(begins, default=end.from_ns))

    def _tip_ns(self, name: str, free: Interval) -> int | None:
        """Return the first time at which it was tilted or displaced; None if there is none, or it is unknown."""
        try:
            before = self._facts.tables.poses.at(name, free.from_ns - RELEASE_NS)[1]
            times, poses = self._facts.tables.poses.during(name, free)
        except KeyError:
            return None
        if not len(times):
            return None
        poses = np.vstack((before, poses))
        q = poses[:, 3:7]
        up = np.stack(
            (
                2.0 * (q[:, 1] * q[:, 3] + q[:, 0] * q[:, 2]),
                2.0 * (q[:, 2] * q[:, 3] - q[:, 0] * q[:, 1]),
                1.0 - 2.0 * (q[:, 1] ** 2 + q[:, 2] ** 2),
            ),
            axis=1,
        )
        is_tilted = up[1:] @ up[0] < COS_TILT
        is_displaced = np.linalg.norm(poses[1:, :3] - poses[1, :3], axis=1) > MIN_SLIP
        rows = np.flatnonzero(is_tilted | is_displaced)
        return max(free.from_ns, int(times[rows[0]])) if len(rows) else None

    def _end_support(self, name: str, time_ns: int) -> str:
        after = Interval(time_ns, time_ns + RELEASE_NS)
        rows = [row for row in self._facts.during(BORNE, name, after) if row.a == name]
        return max(rows, key=lambda row: row.span.to_ns).b if rows else ""

    def _upsets(self, name: str, free: Interval) -> Iterator[Happening]:
        for event in self._facts.events(*UPSETS, about=name):
            if free.from_ns - RELEASE_NS <= event.time_ns <= free.to_ns + LATE_NS:
                yield event

    def _find_blows(self, name: str, free: Interval, last: Occasion | None) -> list[Occasion]:
        """Return the contacts with links, and with carried or moving objects, at the start of the motion."""
        facts = self._facts
        around = Interval(free.from_ns - CAUSE_NS, free.from_ns + CAUSE_NS)
        latest_ns = free.from_ns + BODY_CAUSE_NS
        found = []
        for row in facts.during("contact", name, around):
            other = row.b if row.a == name else row.a
            moves = facts.bodies.is_movable(other) and self._is_moving(other, around)
            if other not in facts.bodies.links and not (moves and row.span.from_ns <= latest_ns):
                continue
            if last is not None and row.span.from_ns <= last.span.to_ns + RELEASE_NS:
                continue  # the fingers that released it
            found.append(row)
        return sorted(found, key=lambda row: row.span.from_ns)

    def _is_moving(self, name: str, span: Interval) -> bool:
        rows = (*self._facts.during("moving", name, span), *self._facts.during("held", name, span))
        return any(row.a == name for row in rows)
