"""Evaluates fluents from rows: in the world, in the robot's beliefs, and incorrect beliefs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.episodes.asking.answer import (
    Evidence,
    of_belief,
    of_error,
    of_event,
    of_occasion,
    of_state,
)
from hetwin_core.episodes.asking.names import Entities, Vocabulary
from hetwin_core.episodes.asking.reading import (
    Binding,
    Names,
    Reading,
    Row,
    Source,
    StateReader,
    compared,
    entity_of,
    fits,
)
from hetwin_core.episodes.asking.terms import ANY, Argument, Atom, Place, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.tables.intervals import UNKNOWN, Intervals, Truths
from hetwin_core.episodes.tables.poses import distances
from hetwin_core.episodes.tables.rows import FLUENTS, Belief, Interval
from hetwin_core.episodes.tables.tables import Tables, UnobservedInterval

LOC, VISIBLE, PERCEIVED = "loc", "visible", "perceived"
MOVING, ATTACHED, HELD = "moving", "attached", "held"
FOLLOWS = {MOVING: LOC, ATTACHED: HELD}
"""Fluent -> the fluent of the beliefs that it is derived from."""
MIN_SPEED, MIN_ANGULAR_SPEED, MAX_PERIOD_S = 0.05, 0.25, 0.5
"""An entity is believed to move if two beliefs about its pose, at most MAX_PERIOD_S [s] apart, imply a speed of more
than MIN_SPEED [m/s] or MIN_TURN [rad/s].
"""
_MAX_PERIOD_NS = round(MAX_PERIOD_S * 1e9)
_PAIR_VARIABLES = ("a", "b")
"""Names of the arguments of a symmetric fluent; variables with these names match each pair once."""


class World(Source):
    """Evaluates fluents in the world."""

    def __init__(self, tables: Tables, entities: Entities, vocabulary: Vocabulary) -> None:
        super().__init__(tables, entities, vocabulary)
        self._states = StateReader(tables)

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; ``loc`` without a place is always true."""
        named = entity_of(atom.arguments[0], binding)
        if atom.name != LOC or atom.place is not None or named is None:
            return super().read(atom, binding, span)
        self._entities.placed(named)
        known = whole(self._tables)
        return Reading(Truths.known(Intervals([known]), known), ())

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the bindings of an atom's variables with which it is true at some time."""
        (argument, *_) = atom.arguments
        if atom.name != LOC or not isinstance(argument, Variable):
            return [{}] if atom.name == LOC else super().bindings(atom)
        objects = self._tables.layout.of_kind(EntityKind.OBJECT)
        return [{argument.name: entity.name} for entity in objects]

    def state(self, state: State, span: Interval) -> Reading:
        """Return when a condition on the state is true."""
        return self._states.read(state, span)

    def _is_known(self, atom: Atom, binding: Binding) -> bool:
        return atom.name != LOC and atom.name in self._tables.recorded

    def _blind(self, atom: Atom, binding: Binding) -> tuple[UnobservedInterval, ...]:
        if atom.name == LOC:
            return ()
        if not self._is_known(atom, binding):
            why = f"nothing in this run observes {atom.name}"
            return (UnobservedInterval(whole(self._tables), why),)
        names = (self._names(atom, index, binding) for index in (0, 1))
        return tuple(self._tables.unseen.of(atom.name, *names))

    def _rows(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Row]:
        """Yield the rows of an atom, with the entities in the order of its arguments."""
        first, second = self._names(atom, 0, binding), self._names(atom, 1, binding)
        symmetric = FLUENTS[atom.name].symmetric if atom.name in FLUENTS else False
        firsts, seconds = ((None,) if names is None else sorted(names) for names in (first, second))
        pairs = [(a, b) for a in firsts for b in seconds]
        rows = {
            row.row: row for a, b in pairs for row in self._tables.occasions.find(atom.name, a, b)
        }
        for row in sorted(rows.values(), key=lambda row: (row.span.from_ns, row.row)):
            to_ns = row.span.to_ns if row.ended else self._tables.known_until_ns + 1
            interval_and_evidence = (row.span.from_ns, to_ns, of_occasion(row))
            if fits(row.a, first) and fits(row.b, second):
                yield Row(row.a, row.b, *interval_and_evidence)
            elif symmetric and fits(row.b, first) and fits(row.a, second):
                yield Row(row.b, row.a, *interval_and_evidence)

    def _orders(self, atom: Atom, row: Row) -> tuple[tuple[str, str], ...]:
        named = [
            v for v in atom.arguments if isinstance(v, Variable) and v.name not in _PAIR_VARIABLES
        ]
        both = len(named) == len(_PAIR_VARIABLES) and self._vocabulary.fluent(atom.name).symmetric
        return ((row.a, row.b), (row.b, row.a)) if both else ((row.a, row.b),)

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        named = entity_of(atom.arguments[0], binding)
        if named is None or span.from_ns >= span.to_ns:
            return Reading(UNKNOWN, ())
        times, poses = self._poses(named, span)
        by_name = isinstance(place.near, str)
        near = self._poses(place.near, span)[1][:, :3] if by_name else np.array(place.near)  # type: ignore[arg-type]
        holds, distance, chosen = compared(poses, place, near)
        row = self._tables.poses.row
        evidence = tuple(
            of_state(row(int(times[i])), int(times[i]), distance=round(float(distance[i]), 6))
            for i in chosen
        )
        true = Intervals.where(times, holds, span.to_ns).within(span)
        return Reading(Truths.known(true, span), evidence)

    def _poses(self, name: str, span: Interval) -> tuple[NDArray[np.int64], Floats]:
        entity = self._entities.placed(name)
        if span.to_ns - span.from_ns <= 1:
            time_ns, pose = self._tables.poses.at(entity, span.from_ns)
            return np.array([time_ns], np.int64), pose[np.newaxis]
        times, poses = self._tables.poses.during(entity, span)
        return np.asarray(times, np.int64), poses


class Beliefs(Source):
    """Evaluates beliefs.

    A fluent that the robot reports at other times counts as not believed, any other as unknown.
    """

    in_parts = frozenset({LOC, MOVING})

    def __init__(self, tables: Tables, entities: Entities, vocabulary: Vocabulary) -> None:
        super().__init__(tables, entities, vocabulary)
        self._percepts = [event for event in tables.events if event.name == PERCEIVED]

    def pose(self, entity: str, time_ns: int) -> Belief | None:
        """Return the belief about an entity's pose at a moment; None before the first report."""
        posed = (
            row
            for row in self._reported(loc_of(entity), Interval(time_ns, time_ns + 1))
            if row.pose
        )
        found = [row for row in posed if row.span.from_ns <= time_ns]
        return max(found, key=lambda row: row.span.from_ns, default=None)

    def last(self, atom: Atom, time_ns: int) -> Belief | None:
        """Return the belief about an atom at a moment; None if there was none."""
        moment = Interval(time_ns, time_ns + 1)
        rows = (r for r in self._holding(atom, {}, moment) if r.span.from_ns <= time_ns)
        held = [row for row in rows if time_ns < self._until(row.span.to_ns)]
        return max(held, key=lambda row: (row.span.from_ns, row.row), default=None)

    def reports(self, fluent: str, entity: str | None) -> bool:
        """Return whether the robot reports anything about a fluent of an entity; None: of any entity."""
        pairs = self._tables.believed
        if fluent == VISIBLE and (self._percepts or (VISIBLE, "") in pairs):
            return True
        fluents = {fluent, FOLLOWS.get(fluent, fluent)}
        if entity is None:
            return any(name in fluents for name, _ in pairs)
        own = ("", *sorted(self._entities.meant(entity, "")))
        return any((name, one) in pairs for name in fluents for one in own)

    def _is_known(self, atom: Atom, binding: Binding) -> bool:
        return self.reports(atom.name, entity_of(atom.arguments[0], binding))

    def _rows(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Row]:
        if atom.name == LOC:
            yield from self._known_poses(atom, binding, span)
            return
        for row in self._holding(atom, binding, span):
            yield Row(row.a, row.b, row.span.from_ns, self._until(row.span.to_ns), of_belief(row))
        if atom.name == VISIBLE:  # the robot believes that perceived objects are visible
            name = entity_of(atom.arguments[0], binding)
            for event in self._percepts:
                seen = str(event.arguments.get("object", ""))
                if name in (None, seen):
                    yield Row(seen, "", event.time_ns, event.time_ns + 1, of_event(event))

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        if not self._is_known(atom, binding):
            return Reading(UNKNOWN, ())
        rows = [row for row in self._reported(atom, span, binding) if row.pose is not None]
        if not rows:
            return Reading(Truths.known(Intervals(), span), ())
        near = (
            np.array(place.near)
            if not isinstance(place.near, str)
            else self._world_positions(place.near, rows)
        )
        holds, distance, chosen = compared(np.array([row.pose for row in rows]), place, near)
        true = Intervals(
            (row.span.from_ns, self._until(row.span.to_ns))
            for row, is_near in zip(rows, holds, strict=True)
            if is_near
        )
        evidence = tuple(
            Evidence("beliefs", rows[i].row, rows[i].span, {"distance": float(distance[i])})
            for i in chosen
        )
        return Reading(Truths.known(true.within(span), span), evidence)

    def _world_positions(self, name: str, rows: Sequence[Belief]) -> Floats:
        """Return the position of an entity in the world at the time of each belief."""
        entity, poses = self._entities.placed(name), self._tables.poses
        return np.array([poses.at(entity, row.span.from_ns)[1][:3] for row in rows], np.float64)

    def _reported(
        self, atom: Atom, span: Interval | None = None, binding: Binding | None = None
    ) -> Iterator[Belief]:
        """Yield the reported beliefs about an atom, under any name that the robot may use for its entities."""
        named = (self._reported_names(atom, index, binding or {}) for index in (0, 1))
        firsts, seconds = ((None,) if names is None else sorted(names) for names in named)
        for a in firsts:
            for b in seconds:
                yield from self._tables.beliefs.find(atom.name, a, b, span)

    def _reported_names(self, atom: Atom, index: int, binding: Binding) -> Names:
        """Return the names under which a robot may report an argument: its own, or that of its base."""
        argument = atom.arguments[index] if index < len(atom.arguments) else ANY
        entity = entity_of(argument, binding)
        return None if entity is None else self._entities.meant(entity, "")

    def _holding(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Belief]:
        """Yield the beliefs that a fluent holds, reported or derived."""
        part = span if atom.name in self.in_parts else None
        yield from (row for row in self._reported(atom, part, binding) if row.holds)
        if atom.name == MOVING:
            yield from self._moving(Atom(LOC, atom.arguments), binding, span)
        elif atom.name == ATTACHED:
            # a held object moves with its hand, and with its links
            second = None if len(atom.arguments) < 2 else entity_of(atom.arguments[1], binding)
            hand: Argument = ANY if second is None else self._entities.hand_of(second)
            for row in self._reported(Atom(HELD, (atom.arguments[0], hand)), None, binding):
                if row.holds:
                    yield row if second is None else row._replace(b=second)

    def _known_poses(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Row]:
        """Yield the first and the last belief about an entity's pose in an interval; in between it always has one."""
        find, wanted = self._tables.beliefs.find, self._reported_names(atom, 0, binding)
        for name in sorted({a for fluent, a in self._tables.believed if fluent == LOC}):
            end = (
                find(LOC, name, None, Interval(span.to_ns - 1, span.to_ns))
                if fits(name, wanted)
                else ()
            )
            for last in end[-1:]:
                begin, found = _MAX_PERIOD_NS, list[Belief]()
                while not found:  # reads few rows: at most twice the time up to the first one
                    found = find(LOC, name, None, Interval(span.from_ns, span.from_ns + begin))
                    begin *= 2
                since, until = found[0].span.from_ns, self._until(last.span.to_ns)
                yield from (Row(name, "", since, until, of_belief(row)) for row in (found[0], last))

    def _moving(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Belief]:
        """Yield the beliefs about a pose after which the pose changes at more than the minimum speed."""
        rows: dict[str, Belief] = {}
        extended = Interval(span.from_ns - _MAX_PERIOD_NS, span.to_ns + _MAX_PERIOD_NS)
        for row in sorted(
            self._reported(atom, extended, binding), key=lambda row: row.span.from_ns
        ):
            last = rows.get(row.a)
            rows[row.a] = row
            if last is None or last.pose is None or row.pose is None:
                continue
            seconds = (row.span.from_ns - last.span.from_ns) / 1e9
            distance, angle = distances(np.array(last.pose), np.array(row.pose))
            if 0.0 < seconds <= MAX_PERIOD_S and (
                distance > MIN_SPEED * seconds or angle > MIN_ANGULAR_SPEED * seconds
            ):
                yield last


class WrongBeliefs(Source):
    """Evaluates the paper's IncorrectBelief: held by the robot, but not true in the world.

    Args:
        tables: tables of the episode.
        entities: its entities.
        vocabulary: its vocabulary.
        world: evaluates fluents in the world.
        beliefs: evaluates beliefs.
    """

    def __init__(
        self,
        tables: Tables,
        entities: Entities,
        vocabulary: Vocabulary,
        world: World,
        beliefs: Beliefs,
    ) -> None:
        super().__init__(tables, entities, vocabulary)
        self._world, self._beliefs = world, beliefs

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the bindings of an atom's variables with which a belief was incorrect at some time."""
        return super().bindings(atom) if atom.place is None else self._beliefs.bindings(atom)

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        believed = self._beliefs.read(atom, binding, span)
        world = self._world.read(atom, binding, span)
        return Reading(believed.truths & ~world.truths, (*believed.evidence, *world.evidence))

    def _is_known(self, atom: Atom, binding: Binding) -> bool:
        return self._beliefs.reports(atom.name, entity_of(atom.arguments[0], binding))

    def _blind(self, atom: Atom, binding: Binding) -> tuple[UnobservedInterval, ...]:
        is_known = self._is_known(atom, binding)
        return self._world.read(atom, binding, whole(self._tables)).blind if is_known else ()

    def _unseen(
        self, atom: Atom, binding: Binding, blind: Sequence[UnobservedInterval]
    ) -> Intervals:
        span = whole(self._tables)
        believed = self._beliefs.read(atom, binding, span).truths.true
        true = self._world.read(atom, binding, span).truths.true
        return (believed & super()._unseen(atom, binding, blind)) - true

    def _rows(self, atom: Atom, binding: Binding, span: Interval) -> Iterator[Row]:
        wanted = [entity_of(argument, binding) for argument in atom.arguments]
        names = [None if w is None else self._entities.meant(w, "") for w in wanted]
        for row in self._tables.belief_errors:
            if row.fluent == atom.name and all(map(fits, (row.a, row.b), names)):
                to_ns = self._until(row.span.to_ns)
                yield Row(row.a, row.b, row.span.from_ns, to_ns, of_error(row))


def loc_of(entity: str) -> Atom:
    """Return the atom of an entity's pose."""
    return Atom(LOC, (entity,))
