"""Finds events, the robot's beliefs about them, and their causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.episodes.asking.formulas import GoalReader
from hetwin_core.episodes.asking.holding import Holding, some_time
from hetwin_core.episodes.asking.names import ABOUT, EVENTS, MOVES, Entities, Vocabulary
from hetwin_core.episodes.asking.reading import Source
from hetwin_core.episodes.asking.tasks import TaskTree
from hetwin_core.episodes.asking.terms import Argument, Atom, Variable
from hetwin_core.episodes.asking.times import AskedTime
from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.expecting.bodies import Bodies
from hetwin_core.episodes.tables.lists import EventList
from hetwin_core.episodes.tables.rows import Happening, Interval, Status, Task
from hetwin_core.episodes.tables.tables import Tables

LOC_CHANGE = "loc_change"
SYMMETRIC = ("collision", "collision_end")
Wanted = tuple[frozenset[str] | None, ...]
"""Possible values of each argument of an event; None: any value."""


class Happenings:
    """Finds events by name and arguments.

    Attributes:
        named: returns the events of a name, by time.
        row: returns the event of a number.

    Args:
        events: events of the episode.
        entities: its entities.
        vocabulary: its vocabulary.
    """

    def __init__(self, events: EventList, entities: Entities, vocabulary: Vocabulary) -> None:
        self._entities = entities
        self._vocabulary = vocabulary
        self.named, self.row = events.named, events.row

    def find(self, pattern: Atom, span: Interval | None = None) -> list[Happening]:
        """Return the events that match a pattern, in order.

        Raises:
            BadInput: if the event or an entity is unknown.
        """
        names = self._vocabulary.event(pattern.name)
        events = self.named(pattern.name)
        wanted = self._wanted(pattern, names, events)
        inside = events if span is None else self._inside(events, span)
        return [event for event in inside if fits(event, names, wanted)]

    def matches(self, event: Happening, pattern: Atom) -> bool:
        """Return whether an event matches a pattern.

        Raises:
            BadInput: if an entity is unknown.
        """
        if event.name != pattern.name:
            return False
        names = self._vocabulary.event(pattern.name)
        return fits(event, names, self._wanted(pattern, names, [event]))

    def meant(self, pattern: Atom) -> Wanted:
        """Return the possible values of each argument of a pattern; None: any value.

        Raises:
            BadInput: if the event or an entity is unknown.
        """
        names = self._vocabulary.event(pattern.name)
        return self._wanted(pattern, names, self.named(pattern.name))

    def _inside(self, events: Sequence[Happening], span: Interval) -> Iterator[Happening]:
        return (event for event in events if span.from_ns <= event.time_ns < span.to_ns)

    def _wanted(self, pattern: Atom, names: tuple[str, ...], events: Sequence[Happening]) -> Wanted:
        if len(pattern.arguments) > len(names):
            raise BadInput(
                "this event has other arguments",
                found=str(pattern),
                expected=f"{pattern.name}({', '.join(names)})",
            )
        return tuple(
            self._possible(argument, pattern.name, role, events)
            for argument, role in zip(pattern.arguments, names, strict=False)
        )

    def _possible(
        self, argument: Argument, name: str, role: str, events: Sequence[Happening]
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
        texts = {v for event in events for v in event.arguments.values() if isinstance(v, str)}
        if argument not in texts:
            known = [*self._entities.names, *sorted(texts - {*self._entities.names})]
            raise BadInput("unknown entity", found=argument, expected=one_of(argument, known))
        return frozenset({argument})


def fits(event: Happening, names: tuple[str, ...], wanted: Wanted) -> bool:
    """Return whether an event's arguments match; those of a collision in either order."""
    values = _values(event, names)
    if _match_each(values, wanted):
        return True
    return event.name in SYMMETRIC and _match_each(list(reversed(values[:2])), wanted)


def _match_each(values: list[Json], wanted: Wanted) -> bool:
    if len(wanted) > len(values):
        return False
    return all(w is None or str(v) in w for v, w in zip(values, wanted, strict=False))


def _values(event: Happening, names: tuple[str, ...]) -> list[Json]:
    """Return an event's arguments in the order of `names`, then the others."""
    arguments: Mapping[str, Json] = event.arguments
    named = [arguments.get(name) for name in names]
    return [*named, *(value for key, value in arguments.items() if key not in names)]


PERCEIVED = "perceived"
ENDS = {"pick_up": "held", "picked_up": "held", "set_down": "on", "put_down": "on"}
"""Event -> fluent of a goal; when a task with such a goal succeeds, the robot believes that the event happened."""
SECOND_ROLE = {"held": "hand", "on": "support"}
"""Fluent -> name of its second argument in the event."""
SOURCE = "tasks"
"""Source of events that are derived from the ends of tasks."""


class BeliefHolding(Holding):
    """When the robot believes terms, and which events it believes to have happened.

    Args:
        tables: tables of the episode.
        reader: reads beliefs.
        vocabulary: vocabulary of the episode.
        entities: its entities.
        happenings: finds events.
        goals: parses the goals of tasks.
    """

    def __init__(
        self,
        tables: Tables,
        reader: Source,
        vocabulary: Vocabulary,
        entities: Entities,
        happenings: Happenings,
        goals: GoalReader,
    ) -> None:
        super().__init__(tables, reader, vocabulary, entities)
        self._happenings, self._goals = happenings, goals

    def occurs(self, pattern: Atom, when: AskedTime | None = None) -> tuple[Happening, ...]:
        """Return the events of a pattern that the robot believes to have happened.

        These are percepts, and at the end of a successful task with the goal ``held`` or ``on`` the events
        ``picked_up`` and ``put_down`` (or ``pick_up``, ``set_down``), whose row is that of the task.

        Raises:
            BadInput: if the event, an entity or the time is unknown, or beliefs have no such event.
        """
        span = some_time(when, self._tables).span
        if pattern.name not in (PERCEIVED, *ENDS):
            expected = one_of(pattern.name, [PERCEIVED, *ENDS])
            problem = "the robot has no beliefs about this event"
            raise BadInput(problem, found=pattern.name, expected=expected)
        found = self._happenings.find(pattern, span)  # also checks the entities
        if pattern.name == PERCEIVED:
            return tuple(found)
        inside = (e for e in self._ends(pattern.name) if span.from_ns <= e.time_ns < span.to_ns)
        return tuple(event for event in inside if self._happenings.matches(event, pattern))

    def _ends(self, name: str) -> Iterator[Happening]:
        fluent = ENDS[name]
        for task in self._tables.tasks:
            if task.status is not Status.DONE or not task.goal.startswith(fluent):
                continue
            goal = self._goals.read(task)
            if isinstance(goal, Atom) and goal.name == fluent:
                texts = [a for a in goal.arguments if isinstance(a, str)]
                given = dict(zip(("object", SECOND_ROLE[fluent]), texts, strict=False))
                arguments = {**given, "task": task.id}
                yield Happening(task.row, task.span.to_ns, name, SOURCE, arguments)


Cause: TypeAlias = "Happening | Task"

COLLISION = "collision"
RELEASE_EVENTS = ("released", "lost", "grip_lost", "let_go", "slipped")
"""Events after which an object may move by itself."""
TASK_EVENTS = (
    *(*RELEASE_EVENTS, "picked_up", "put_down", "pick_up", "set_down", "grasped", "grip_closed"),
    "perceived",
)
"""Events that tasks cause directly."""
BEFORE_NS = 2_000_000_000
"""Maximum time from a cause to its event [ns]."""
SAME_NS = 150_000_000
"""Maximum time between reports of one moment, which may come in any order [ns]."""
MAX_CHAIN_LENGTH = 8
"""Maximum length of a chain of events."""


class Causes:
    """Traces events back to tasks.

    An event about an object is caused by the last touch of the object by a link or another object, or by its
    release, within `BEFORE_NS`. The motion of another object has a cause in turn. The first event of a chain is
    caused by the innermost task in progress; of several, by one that may cause the event, else by one that names
    one of its entities. A task is caused by those that it is a part of.

    Args:
        happenings: events of the episode.
        tree: its tasks.
        expectations: knows the tasks in progress, and their variables.
    """

    def __init__(self, happenings: Happenings, tree: TaskTree, expectations: Expectations) -> None:
        self._happenings = happenings
        self._tree = tree
        self._expectations = expectations
        self._bodies: Bodies = expectations.bodies

    def of(self, effect: Happening) -> tuple[Cause, ...]:
        """Return the causes of an event, the nearest first; empty if none is known."""
        events = list(self._events(effect))
        first = events[-1] if events else effect
        task = self._task(first)
        return (*events, *((task, *self._tree.above(task)) if task is not None else ()))

    def _events(self, effect: Happening) -> Iterator[Happening]:
        """Yield the events that led to another one, the nearest first."""
        seen = {effect.row}
        moved = self._moved_objects(effect)
        time_ns = _start_of(effect)
        while moved and len(seen) < MAX_CHAIN_LENGTH:
            cause = self._last_cause(moved, time_ns, seen)
            if cause is None:
                return
            yield cause
            seen.add(cause.row)
            moved = [] if cause.name != COLLISION else self._touching(cause, moved)
            time_ns = cause.time_ns

    def _moved_objects(self, event: Happening) -> list[str]:
        """Return the objects whose motion an event is about; empty for an event that a task causes."""
        if event.name in TASK_EVENTS:
            return []
        named = [value for value in event.arguments.values() if isinstance(value, str)]
        if event.name == COLLISION and any(name in self._bodies.links for name in named):
            return []
        return [name for name in named if self._bodies.is_movable(name)]

    def _touching(self, collision: Happening, moved: Sequence[str]) -> list[str]:
        """Return the object that touched another one, if its own motion must have a cause."""
        named = [value for value in collision.arguments.values() if isinstance(value, str)]
        return [name for name in named if name not in moved and self._bodies.is_movable(name)]

    def _last_cause(self, moved: Sequence[str], time_ns: int, seen: set[int]) -> Happening | None:
        """Return the last event up to this time that can have moved one of some objects."""
        found = [
            event
            for name in (COLLISION, *RELEASE_EVENTS)
            for event in self._happenings.named(name)
            if time_ns - BEFORE_NS <= event.time_ns <= time_ns + SAME_NS
            and event.row not in seen
            and self._moves(event, moved)
        ]
        touches = [event for event in found if self._is_by_robot(event)]
        return max(touches or found, key=lambda event: (event.time_ns, event.row), default=None)

    def _moves(self, event: Happening, moved: Sequence[str]) -> bool:
        named = [value for value in event.arguments.values() if isinstance(value, str)]
        if not any(name in named for name in moved):
            return False
        others = [name for name in named if name not in moved]
        can_move = [n for n in others if self._bodies.is_movable(n) or n in self._bodies.links]
        return event.name in RELEASE_EVENTS or bool(can_move)

    def _is_by_robot(self, event: Happening) -> bool:
        named = event.arguments.values()
        return event.name in RELEASE_EVENTS or any(name in self._bodies.links for name in named)

    def _task(self, event: Happening) -> Task | None:
        """Return the innermost task that may cause an event, names its entities, or is in progress, in that order."""
        near = self._expectations.near(event.time_ns)
        on = [task for task in near if task.span.from_ns <= event.time_ns <= task.span.to_ns]
        named = {value for value in event.arguments.values() if isinstance(value, str)}
        named |= {hand for name in named if (hand := self._bodies.hand_of(name))}
        may = [t for t in near if self._expectations.of(t, event.name, event.arguments)]
        about = [t for t in on or near if named & {*self._expectations.named.entities(t)}]
        candidates = [task for task in may if task in on] or may or about or on or near
        return max(candidates, key=lambda task: (task.span.from_ns, task.row), default=None)


def _start_of(event: Happening) -> int:
    """Return the start of what an event reports, which may be among its arguments."""
    begin = event.arguments.get("from")
    is_time = isinstance(begin, int | float) and not isinstance(begin, bool)
    return min(event.time_ns, round(begin * 1e9)) if is_time else event.time_ns  # type: ignore[operator]
