"""Reads what the robot believed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.episodes.asking.entities import Entities
from hetwin_core.episodes.asking.evidence import Evidence, of_belief, of_event
from hetwin_core.episodes.asking.intervals import Intervals
from hetwin_core.episodes.asking.places import is_near, off
from hetwin_core.episodes.asking.reading import Binding, Reading, entity_of
from hetwin_core.episodes.asking.terms import ANY, Atom, Place, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.asking.truths import UNKNOWN, Truths
from hetwin_core.episodes.tables.pose_tolerance import distances
from hetwin_core.episodes.tables.rows import Belief, Happening, Interval
from hetwin_core.episodes.tables.tables import Tables

LOC, VISIBLE, PERCEIVED = "loc", "visible", "perceived"
MOVING, ATTACHED, HELD = "moving", "attached", "held"
FOLLOWS = {MOVING: LOC, ATTACHED: HELD}
"""Fluent -> that from which it follows whether the robot believes it."""
SPEED, TURN, SOON_S = 0.05, 0.25, 0.5
"""Something is believed to move if it was believed elsewhere within this time, and was faster [m/s, rad/s, s]."""


class Beliefs:
    """Reads beliefs. What the robot has not told is not believed; what it tells nothing about is not known.

    Args:
        tables: of the episode.
        entities: of the episode.
    """

    def __init__(self, tables: Tables, entities: Entities) -> None:
        self._tables = tables
        self._entities = entities
        self._percepts = [event for event in tables.events if event.name == PERCEIVED]

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when the robot believed an atom; variables without a binding stand for any entity."""
        if not self._told(atom, binding):
            return Reading(UNKNOWN, ())
        if atom.name == LOC and atom.place is not None:
            return self._near(atom, atom.place, binding, span)
        rows = list(self._held(atom, binding))
        seen = list(self._seen(atom, binding))
        true = Intervals([*map(self._open, rows), *((e.time_ns, e.time_ns + 1) for e in seen)])
        evidence = (*map(of_belief, rows), *map(of_event, seen))
        return Reading(Truths.known(true, whole(self._tables)), evidence)

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the entities for the variables of an atom that the robot believed at some time."""
        pairs = [(row.a, row.b) for row in self._held(atom, {})]
        pairs += [(str(event.arguments.get("object", "")), "") for event in self._seen(atom, {})]
        found: dict[tuple[tuple[str, str], ...], Binding] = {}
        for pair in dict.fromkeys(pairs):
            bound = zip(atom.arguments, pair, strict=False)
            one = {v.name: entity for v, entity in bound if isinstance(v, Variable)}
            found.setdefault(tuple(one.items()), one)
        return list(found.values())

    def state(self, state: State, span: Interval) -> Reading:
        """Refuse: there is no state of the scene as the robot believes it.

        Raises:
            BadInput: always.
        """
        raise BadInput(
            "a condition on the state is about the world, not about beliefs",
            found=state.text,
            expected='a fluent, e.g. loc("box", {"near": [0.45, 0.2, 0.8], "within": 0.02})',
        )

    def pose(self, entity: str, time_ns: int) -> Belief | None:
        """Return where the robot believed an entity at a moment; None if it had told nothing until then."""
        span = Interval(time_ns, time_ns + 1)
        rows = [r for a in self._own(entity) for r in self._tables.beliefs.find(LOC, a, None, span)]
        posed = [row for row in rows if row.pose is not None and row.span.from_ns <= time_ns]
        return max(posed, key=lambda row: row.span.from_ns, default=None)

    def last(self, atom: Atom, time_ns: int) -> Belief | None:
        """Return the belief about an atom that was held at a moment; None if there was none."""
        rows = [r for r in self._held(atom, {}) if r.span.from_ns <= time_ns]
        held = [row for row in rows if Intervals([self._open(row)]).around(time_ns)]
        return max(held, key=lambda row: (row.span.from_ns, row.row), default=None)

    def told(self, fluent: str, entity: str | None) -> bool:
        """Return whether the robot tells anything about a fluent of an entity, or of any."""
        pairs = self._tables.believed
        if fluent == VISIBLE and (self._percepts or (VISIBLE, "") in pairs):
            return True
        fluents = {fluent, FOLLOWS.get(fluent, fluent)}
        if entity is None:
            return any(name in fluents for name, _ in pairs)
        own = ("", *self._own(entity))
        return any((name, one) in pairs for name in fluents for one in own)

    def _told(self, atom: Atom, binding: Binding) -> bool:
        return self.told(atom.name, entity_of(atom.arguments[0], binding))

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        known = whole(self._tables)
        span = Interval(max(span.from_ns, known.from_ns), min(span.to_ns, known.to_ns))
        entity = entity_of(atom.arguments[0], binding)
        names = self._own(entity) if entity is not None else (None,)
        rows = [r for a in names for r in self._tables.beliefs.find(LOC, a, None, span)]
        rows = [row for row in rows if row.pose is not None]
        if not rows:
            return Reading(Truths.known(Intervals(), span), ())
        poses = np.array([row.pose for row in rows], np.float64)
        distance, angle = off(poses, place, self._place(place, rows))
        near = is_near(distance, angle, place)
        true = Intervals(self._open(row) for row, holds in zip(rows, near, strict=True) if holds)
        changes = np.flatnonzero(np.diff(near)) + 1
        chosen = sorted({0, int(np.argmax(distance)), len(rows) - 1, *changes.tolist()})
        evidence = tuple(
            Evidence("beliefs", rows[i].row, rows[i].span, {"distance": float(distance[i])})
            for i in chosen
        )
        return Reading(Truths.known(true.within(span), span), evidence)

    def _place(
        self, place: Place, rows: list[Belief]
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        """Return what poses are to be near: the place, or where an entity was in the world when each was believed."""
        if not isinstance(place.near, str):
            return np.array(place.near, np.float64)
        entity, poses = self._entities.placed(place.near), self._tables.poses
        return np.array([poses.at(entity, row.span.from_ns)[1][:3] for row in rows], np.float64)

    def _held(self, atom: Atom, binding: Binding) -> Iterator[Belief]:
        """Yield what the robot believed to hold, as it says it or as follows from what it says."""
        yield from (row for row in self._rows(atom, binding) if row.holds)
        if atom.name == MOVING:
            for name in self._names(atom, 0, binding):
                yield from self._moving(name)
        elif atom.name == ATTACHED:
            # what a hand holds moves with it, and with its links
            second = None if len(atom.arguments) < 2 else entity_of(atom.arguments[1], binding)
            hand = ANY if second is None else self._entities.hand_of(second)
            grips = Atom(HELD, (atom.arguments[0], hand))
            for row in self._rows(grips, binding):
                if row.holds:
                    yield row if second is None else row._replace(b=second)

    def _moving(self, name: str | None) -> Iterator[Belief]:
        """Yield the beliefs about the place of something from which the next one, soon after, is far away."""
        rows: dict[str, Belief] = {}
        for row in self._tables.beliefs.find(LOC, name):
            last = rows.get(row.a)
            rows[row.a] = row
            if last is None or last.pose is None or row.pose is None:
                continue
            seconds = (row.span.from_ns - last.span.from_ns) / 1e9
            distance, angle = distances(np.array(last.pose), np.array(row.pose))
            if 0.0 < seconds <= SOON_S and (distance > SPEED * seconds or angle > TURN * seconds):
                yield last

    def _rows(self, atom: Atom, binding: Binding) -> Iterator[Belief]:
        find = self._tables.beliefs.find
        first = self._names(atom, 0, binding)
        second = self._names(atom, 1, binding)
        for a in first:
            for b in second:
                yield from find(atom.name, a, b)

    def _names(self, atom: Atom, index: int, binding: Binding) -> tuple[str | None, ...]:
        if index >= len(atom.arguments):
            return (None,)
        entity = entity_of(atom.arguments[index], binding)
        return (None,) if entity is None else self._own(entity)

    def _own(self, entity: str) -> tuple[str, ...]:
        """Return the names under which a robot may tell of an entity: a robot's own, or that of its base."""
        return tuple(sorted(self._entities.meant(entity, "")))

    def _seen(self, atom: Atom, binding: Binding) -> Iterator[Happening]:
        """Yield the percepts that let the robot believe that something is visible."""
        if atom.name == VISIBLE:
            (entity,) = self._names(atom, 0, binding)[:1]
            for event in self._percepts:
                if entity is None or event.arguments.get("object") == entity:
                    yield event

    def _open(self, row: Belief) -> tuple[int, int]:
        """Return when a belief was held; the last one holds at the last moment of the log, too."""
        last = row.span.to_ns >= self._tables.known_until_ns
        return row.span.from_ns, self._tables.known_until_ns + 1 if last else row.span.to_ns
