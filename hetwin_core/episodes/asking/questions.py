"""Questions to an episode in Python."""

from __future__ import annotations

from functools import cached_property

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.asking.answer import (
    Answer,
    NotKnown,
    in_order,
    of_belief,
    reason,
)
from hetwin_core.episodes.asking.formulas import GoalReader
from hetwin_core.episodes.asking.happenings import (
    BeliefHolding,
    Cause,
    Causes,
    Happenings,
)
from hetwin_core.episodes.asking.holding import Holding, some_time
from hetwin_core.episodes.asking.names import FOLLOWS_FROM, SUPPORTING, Entities, Vocabulary
from hetwin_core.episodes.asking.sources import LOC, Beliefs, World, WrongBeliefs
from hetwin_core.episodes.asking.tasks import MeasuredValue, TaskTree, Values
from hetwin_core.episodes.asking.terms import Atom, Term
from hetwin_core.episodes.asking.times import SLACK_NS, AskedTime, Sort, When, at, window
from hetwin_core.episodes.expecting import Expectations
from hetwin_core.episodes.tables.intervals import Intervals
from hetwin_core.episodes.tables.lists import EventList
from hetwin_core.episodes.tables.rows import Happening, Interval, Task
from hetwin_core.episodes.tables.tables import Tables


class Questions:
    """Questions to an episode. A subclass provides the tables."""

    @property
    def tables(self) -> Tables:
        """The tables of the episode."""
        raise NotImplementedError

    @cached_property
    def world(self) -> Holding:
        """Fluents in the world."""
        return Holding(self.tables, self._world, self.vocabulary, self.entities)

    @cached_property
    def believed(self) -> BeliefHolding:
        """Fluents that the robot believes."""
        known = self.tables, self._beliefs, self.vocabulary, self.entities
        return BeliefHolding(*known, self.happenings, self._goals)

    def holds(self, term: Term, when: AskedTime) -> Answer:
        """Return whether a term holds in the world at a time.

        Args:
            term: e.g. ``on("box", "tray") & ~held("box")``.
            when: ``at(12.0)``, ``during(3, 5)`` (at some time in it), ``throughout(task)`` (all the time). A bare
                number is a moment, a bare task means some time in it.

        Raises:
            BadInput: if a fluent, an entity or the time is unknown.
        """
        return self.world.holds(term, when)

    def where(self, term: Term, during: AskedTime | None = None) -> Answer:
        """Return when a term holds in the world, in an interval or the whole episode.

        Raises:
            BadInput: as `holds`.
        """
        return self.world.where(term, during)

    def occurs(self, pattern: Atom, when: AskedTime | None = None) -> tuple[Happening, ...]:
        """Return the observed events that match a pattern, in order.

        Args:
            pattern: e.g. ``event("picked_up", "cup1")``; omitted arguments match any.
            when: a moment or an interval; None: the whole episode.

        Raises:
            BadInput: if the event, an entity or the time is unknown.
            NotKnown: if the log does not reach this time yet, does not record what the event is derived from, or
                has no such event but some time without observation.
        """
        span = some_time(when, self.tables).span
        follows_from = FOLLOWS_FROM.get(pattern.name)
        missing = follows_from is not None and follows_from not in self.tables.recorded
        if missing or span.to_ns - 1 > self.tables.known_until_ns + SLACK_NS:
            raise NotKnown(say("question.not_said_whether", event=pattern))
        found = tuple(self.happenings.find(pattern, span))
        why = () if found else self._unseen(pattern, span)
        if why:
            raise NotKnown(reason(why))
        return found

    def _unseen(self, pattern: Atom, span: Interval) -> tuple[str, ...]:
        """Return the reasons why events of a pattern may have happened unobserved."""
        names = self.happenings.meant(pattern)
        blind = self.tables.unseen.of_event(pattern.name, *(*names, None, None)[:2])
        seen = (b for b in blind if b.span.from_ns < span.to_ns and span.from_ns < b.span.to_ns)
        return tuple(dict.fromkeys(one.why for one in seen))

    def incorrect_belief(self, term: Atom, when: AskedTime | None = None) -> Answer:
        """Return whether a belief was incorrect: held by the robot, but not true in the world.

        Args:
            term: a fluent; ``loc(x)`` is incorrect if it is off by more than `DISTANCE` or `ANGLE`, or the limits
                of its place.
            when: a time; None: some time in the episode.

        Raises:
            BadInput: as `holds`; if the term is no single fluent.
        """
        if not isinstance(term, Atom):
            raise BadInput(
                "a belief must be about a single fluent",
                found=str(term),
                expected='e.g. loc("box")',
            )
        if when is None:
            return self._wrong.where(term)
        return self._wrong.holds(term, when)

    def value(self, term: Term, when: AskedTime) -> MeasuredValue:
        """Return a value of the scene at a moment: the pose of ``loc(x)``, an attribute, an expression on the state.

        Raises:
            BadInput: if there is no such value, or the time is no moment.
        """
        return self._values.value(term, self._moment(when))

    def variable(self, of: str | Atom, when: AskedTime, task: Task | None = None) -> MeasuredValue:
        """Return a variable of the robot's program at a moment, or for ``loc(x)`` the pose that it believed.

        Args:
            of: name of a variable of the innermost task that has it; or ``loc(x)``.
            when: the moment.
            task: the task with the variable, or one of its subtasks; None: any active task.

        Raises:
            BadInput: if there is no such variable, or the time is no moment.
        """
        if isinstance(of, str):
            return self._values.variable(of, self._moment(when), task)
        (entity, *_) = of.arguments
        if of.name != LOC or not isinstance(entity, str):
            raise BadInput(
                "this is not a variable", found=str(of), expected='a name, or loc("box")'
            )
        return self._values.believed_pose(entity, self._moment(when))

    def task(self, name: str) -> Task:
        """Return a task by its id, or by its operation if only one task has it.

        Raises:
            BadInput: if there is none, or there are several.
        """
        return self.task_tree.task(name)

    def tasks(self, operation: str | None = None) -> tuple[Task, ...]:
        """Return the tasks of an operation by start time; None: all.

        Raises:
            BadInput: if no task has this operation.
        """
        return self.task_tree.tasks(operation)

    def supertask(self, task: Task) -> Task | None:
        """Return the task that another is a part of; None if there is none."""
        return self.task_tree.parent(task)

    def goal(self, task: Task) -> Term:
        """Return the goal of a task as a term.

        Raises:
            BadInput: if the task has none, or the goal is no term.
        """
        return self._goals.read(task)

    def expected(self, event: Happening) -> bool | None:
        """Return whether the tasks in progress may cause an event; None if the robot reports no tasks.

        If it does, but no task is in progress at that time, no event is expected.
        """
        if not self.tables.tasks:
            return None
        return bool(self.expectations.expects(event.name, event.arguments, event.time_ns))

    def causes(self, effect: Happening) -> tuple[Cause, ...]:
        """Return the causes of an event, the nearest first: events, then the tasks that caused them."""
        return self._causes.of(effect)

    def caused(self, state: Term, belief: Atom, when: AskedTime) -> Answer:
        """Return whether a belief at a moment came from a state of the world that held when the belief was formed.

        A believed pose comes from its entity's pose only if it was correct when it was formed.

        Raises:
            BadInput: as `holds`; if the belief is no single fluent, or the time is no moment.
        """
        if not isinstance(belief, Atom):
            raise BadInput(
                "a belief must be about a single fluent", found=str(belief), expected="loc(x)"
            )
        row = self._beliefs.last(belief, self._moment(when))
        if row is None:
            (about, *_) = belief.arguments
            reports = self._beliefs.reports(belief.name, about if isinstance(about, str) else None)
            return Answer(False if reports else None)
        formed = at(row.span.from_ns / 1e9)
        held = self.world.holds(state, formed)
        is_same_pose = isinstance(state, Atom) and state.name == belief.name == LOC
        wrong = self._wrong.holds(belief, formed).truth if is_same_pose else False
        truth = held.truth if held.truth is None or wrong is None else held.truth and not wrong
        rows = in_order((*held.evidence, of_belief(row)))
        return Answer(truth, Intervals([row.span]), held.bindings, rows)

    def count(self, term: Term, when: AskedTime | None = None) -> int:
        """Return how often events of a pattern happened, or a term became true.

        Raises:
            BadInput: as `occurs` and `where`.
            NotKnown: if there may have been unobserved ones.
        """
        span = some_time(when, self.tables).span
        if isinstance(term, Atom) and self.vocabulary.is_event(term.name):
            found = self.occurs(term, when)
            why = self._unseen(term, span)
            if why:
                raise NotKnown(reason(why))
            return len(found)
        throughout = self.world.holds(term | ~term, When(Sort.THROUGHOUT, span))
        if throughout.truth is None:
            raise NotKnown(reason(throughout.why))
        return len(self.where(term, when).intervals)

    @cached_property
    def entities(self) -> Entities:
        """Entities and their names."""
        return Entities(self.tables.layout)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The known fluents and events."""
        return Vocabulary(self.tables.layout, self.tables.recorded, self._reported)

    @cached_property
    def happenings(self) -> Happenings:
        """The events by name and arguments."""
        return Happenings(self._reported, self.entities, self.vocabulary)

    @cached_property
    def _reported(self) -> EventList:
        """The events, without those by which the robot's program reports its tasks."""
        operations = {task.operation for task in self.tables.tasks}
        events = (e for e in self.tables.events if e.source[:1] != "/" or e.name not in operations)
        return EventList(events, self.tables.known_until_ns)

    @cached_property
    def task_tree(self) -> TaskTree:
        """The tasks, and their parents."""
        return TaskTree(self.tables.tasks)

    @cached_property
    def expectations(self) -> Expectations:
        """The events that the robot's tasks may cause."""
        return Expectations(self.tables)

    @cached_property
    def _causes(self) -> Causes:
        return Causes(self.happenings, self.task_tree, self.expectations)

    @cached_property
    def _world(self) -> World:
        return World(self.tables, self.entities, self.vocabulary)

    @cached_property
    def _beliefs(self) -> Beliefs:
        return Beliefs(self.tables, self.entities, self.vocabulary)

    @cached_property
    def _wrong(self) -> Holding:
        known = self.tables, self.entities, self.vocabulary
        wrong = WrongBeliefs(*known, self._world, self._beliefs)
        return Holding(self.tables, wrong, self.vocabulary, self.entities)

    @cached_property
    def _values(self) -> Values:
        return Values(self.tables, self.entities, self._beliefs, self.task_tree)

    @cached_property
    def _goals(self) -> GoalReader:
        return GoalReader({*self.vocabulary.fluents, SUPPORTING})

    def _moment(self, when: AskedTime) -> int:
        found = window(when, self.tables)
        if found.sort is not Sort.AT:
            raise BadInput("a value needs a moment", where=found.sort.value, expected="at(...)")
        return found.span.from_ns
