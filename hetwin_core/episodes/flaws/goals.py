"""Goals of successful tasks: whether they hold, and whether something undid them later."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.expressions.expression import terms_in
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.asking.terms import Atom, Term
from hetwin_core.episodes.asking.times import during
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.flaws.moves import SECOND, Move
from hetwin_core.episodes.tables.rows import BORNE, Happening, Interval, Occasion, Status, Task

BEFORE_NS, AFTER_NS = 100_000_000, SECOND
"""A goal is reached if it holds between BEFORE_NS before and AFTER_NS after the end of its task [ns]."""
TAKING = frozenset({"lift", "carry", "transport", "pick_up", "transfer"})
"""Operations that move their object away."""
_END_SHOWN_BY = {"on": BORNE, "in_container": "in_container", "connected": "connected"}
"""Fluent that a later task must not undo -> fluent whose end shows that it was undone."""
_INTERRUPTION_NS = 2 * SECOND
"""Maximum interruption of a goal that does not count as undone [ns]."""


@dataclass(frozen=True, slots=True)
class UnmetGoal:
    """A goal that does not hold, although its task succeeded.

    Attributes:
        task: the task.
        goal: its goal, as an expression.
        fluents: fluents of its goal.
        entities: entities of its goal.
        believed: whether the robot believed that the goal holds; None if it reported nothing about it.
        move: the motion in which the goal's subject was lost; None if it was not.
        since_ns: start of that motion, else the end of the task.
    """

    task: Task
    goal: str
    fluents: tuple[str, ...]
    entities: tuple[str, ...]
    believed: bool | None
    move: Move | None
    since_ns: int

    @property
    def done_ns(self) -> int:
        """End of the task."""
        return self.task.span.to_ns

    @property
    def lost(self) -> str:
        """The lost object; empty if none was."""
        return "" if self.move is None else self.move.object

    @property
    def evidence(self) -> tuple[Task | Happening, ...]:
        """The supporting rows."""
        return (self.task, *(() if self.move is None else self.move.upsets))


@dataclass(frozen=True, slots=True)
class UndoneGoal:
    """A goal that held at the end of its task, and was undone later when something struck its subject.

    Links of robots strike it, or objects that are carried or moving.

    Attributes:
        task: the task with the goal.
        by: the task that undid it; None if none was in progress.
        occasion: the time in which the goal's fluent held, until it was undone.
        move: the motion of the goal's subject that ended it.
    """

    task: Task
    by: Task | None
    occasion: Occasion
    move: Move

    @property
    def blow(self) -> Occasion:
        """The contact that undid the goal."""
        return self.move.blows[0]

    @property
    def striker(self) -> str:
        """The body that struck the goal's subject."""
        return self.move.other(self.blow)

    @property
    def evidence(self) -> tuple[Occasion | Task, ...]:
        """The supporting rows."""
        return self.occasion, self.blow, self.task


class Goals:
    """Evaluates the goals of an episode.

    Args:
        facts: facts of the episode.
        questions: answers questions about the episode.
        moves: motions of the episode's objects.
    """

    def __init__(self, facts: Facts, questions: Questions, moves: list[Move]) -> None:
        self._facts = facts
        self._questions = questions
        self._moves = moves

    def unmet(self) -> Iterator[UnmetGoal]:
        """Yield the goals of successful tasks that do not hold."""
        for task, truth in self.truths():
            term = self._term(task) if truth is False else None
            if term is not None:
                yield self._unmet(task, term)
        yield from self._unmoved_objects()

    def truths(self) -> Iterator[tuple[Task, bool | None]]:
        """Yield the successful tasks with a goal, and whether it holds; None if unknown."""
        for task in self._successful():
            term = self._term(task)
            if term is None:
                yield task, None
            else:
                yield task, self._is_single_fluent_met(term, task) or self._holds(term, task)

    def failed(self) -> Iterator[Task]:
        """Yield the innermost failed tasks that were not repeated successfully, with the program's reason."""
        tasks, named = self._facts.tables.tasks, self._facts.named
        with_failed_parts = {t.parent for t in tasks if t.status is Status.FAILED}
        for task in tasks:
            if task.status is Status.FAILED and task.id not in with_failed_parts:
                ancestors = [*named.lineage(task)]
                given_up = all(above.status is not Status.DONE for above in ancestors)
                if given_up and not any(map(self._is_repeated, ancestors)):
                    yield task

    def _is_repeated(self, task: Task) -> bool:
        """Whether a later task with the same goal succeeded."""
        return any(
            other.status is Status.DONE
            and other.span.from_ns >= task.span.to_ns
            and (other.operation, other.goal) == (task.operation, task.goal)
            and self._facts.named.objects(other) == self._facts.named.objects(task)
            for other in self._facts.tables.tasks
        )

    def _unmoved_objects(self) -> Iterator[UnmetGoal]:
        """Yield the tasks without a goal that should have moved an object, but left it in place."""
        named = self._facts.named
        for task in self._facts.tables.tasks:
            takes = task.status is Status.DONE and task.operation in TAKING
            if not takes or any(above.goal for above in named.lineage(task)):
                continue
            for name in named.role(task, "object"):
                if self._is_unmoved(name, task.span):
                    goal, end_ns = f'held("{name}")', task.span.to_ns
                    entities = tuple(dict.fromkeys((name, *named.own(task))))
                    yield UnmetGoal(task, goal, ("held",), entities, None, None, end_ns)

    def _is_unmoved(self, name: str, span: Interval) -> bool:
        rows = self._facts.during("loc", name, span)
        return any(r.span.from_ns <= span.from_ns and r.span.to_ns >= span.to_ns for r in rows)

    def undone(self) -> Iterator[UndoneGoal]:
        """Yield the goals that were undone when something struck their subjects, one for each innermost task."""
        found: dict[int, UndoneGoal] = {}
        for task in self._successful():
            for fluent, names in terms_in(task.goal):
                if fluent in _END_SHOWN_BY and len(names) == 2 and "!" not in task.goal:
                    for undone_goal in self._undone(task, _END_SHOWN_BY[fluent], *names):
                        # subtasks start later, and replace their parents
                        found[undone_goal.occasion.row] = undone_goal
        yield from found.values()

    def _successful(self) -> Iterator[Task]:
        return (t for t in self._facts.tables.tasks if t.status is Status.DONE and t.goal)

    def _term(self, task: Task) -> Term | None:
        try:
            return self._questions.goal(task)
        except BadInput:
            return None  # the goal cannot be evaluated

    def _is_single_fluent_met(self, term: Term, task: Task) -> bool:
        """Whether a goal is a single fluent that holds at the end of its task; other goals need a query."""
        if not isinstance(term, Atom) or term.place is not None:
            return False
        names = tuple(name for name in term.arguments if isinstance(name, str))
        if not names or names != term.arguments[: len(names)]:
            return False
        around = Interval(
            max(task.span.from_ns, task.span.to_ns - BEFORE_NS), task.span.to_ns + AFTER_NS
        )
        return any(
            (row.a, row.b)[: len(names)] == names
            for row in self._facts.during(term.name, names[0], around)
        )

    def _holds(self, term: Term, task: Task, *, believed: bool = False) -> bool | None:
        """Whether a goal holds around the end of its task."""
        end_ns = self._facts.tables.known_until_ns
        begin = max(task.span.from_ns, task.span.to_ns - BEFORE_NS)
        span = Interval(min(begin, end_ns), min(task.span.to_ns + AFTER_NS, end_ns) + 1)
        domain = self._questions.believed if believed else self._questions.world
        try:
            return domain.holds(term, during(span)).truth
        except BadInput:
            return None  # the goal is about something outside the scene

    def _unmet(self, task: Task, term: Term) -> UnmetGoal:
        named = self._facts.named
        terms = terms_in(task.goal)
        entities = tuple(dict.fromkeys((*named.own(task), *(n for _, ns in terms for n in ns))))
        move = self._loss(task, [names[0] for _, names in terms if names])
        since_ns = task.span.to_ns if move is None else min(move.span.from_ns, task.span.to_ns)
        believed = self._holds(term, task, believed=True)
        fluents = tuple(dict.fromkeys(fluent for fluent, _ in terms))
        return UnmetGoal(task, task.goal, fluents, entities, believed, move, since_ns)

    def _loss(self, task: Task, names: list[str]) -> Move | None:
        """Return the last motion during the task in which a goal's subject fell, toppled or left its support."""
        last = task.span.to_ns + AFTER_NS
        moves = [
            move
            for move in self._moves
            if move.object in names
            and task.span.from_ns <= move.span.from_ns <= last
            and (move.upsets or move.left != move.reached)
        ]
        return max(moves, key=lambda move: move.span.from_ns, default=None)

    def _undone(self, task: Task, fluent: str, a: str, b: str) -> Iterator[UndoneGoal]:
        end_ns = task.span.to_ns
        rows = [
            r for r in self._facts.tables.occasions.find(fluent, a, b) if r.span.to_ns >= end_ns
        ]
        if not rows or rows[0].span.from_ns > end_ns + AFTER_NS:
            return
        for number, row in enumerate(rows):
            next_start_ns = rows[number + 1].span.from_ns if number + 1 < len(rows) else None
            if not row.ended or (
                next_start_ns is not None and next_start_ns - row.span.to_ns < _INTERRUPTION_NS
            ):
                continue
            move = self._move_that_ended(a, row)
            if move is not None:
                by = self._task_at_blow(task, move)
                if by is None or not self._is_part(by, task):
                    yield UndoneGoal(task, by, row, move)
            return

    def _move_that_ended(self, name: str, row: Occasion) -> Move | None:
        near = Interval(row.span.to_ns - SECOND, row.span.to_ns + SECOND)
        for move in self._moves:
            overlaps = move.span.from_ns <= near.to_ns and move.span.to_ns >= near.from_ns
            if move.object == name and move.blows and overlaps and move.reached != row.b:
                return move
        return None

    def _task_at_blow(self, task: Task, move: Move) -> Task | None:
        tasks = self._facts.expectations.near(move.blows[0].span.from_ns)
        others = [other for other in tasks if not self._is_part(other, task)]
        return next(iter(others or tasks), None)

    def _is_part(self, task: Task, other: Task) -> bool:
        return any(above.id == other.id for above in self._facts.named.lineage(task))
