"""The functions that the queries of rules may call, in addition to those of questions."""

# ruff: noqa: D402 (users read the first line of each function, which begins with the call's signature)
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.expecting.bodies import ROBOT
from hetwin_core.episodes.flaws.flaw import Facts
from hetwin_core.episodes.flaws.goals import Goals, UndoneGoal, UnmetGoal
from hetwin_core.episodes.flaws.hands import (
    Drop,
    Touches,
    dropped,
    lost,
    wrongly_taken,
)
from hetwin_core.episodes.flaws.moves import LATE_NS, Move, Moves
from hetwin_core.episodes.flaws.perception import (
    WrongBeliefs,
    overlooked,
    spilled,
)
from hetwin_core.episodes.tables.rows import Occasion, Row, Task, row_of


class Findings:
    """Data for the rules: rows of the tables, and events of manipulation.

    Args:
        facts: facts of the episode.
        questions: questions to it.
    """

    def __init__(self, facts: Facts, questions: Questions) -> None:
        self._facts = facts
        self._moves = Moves(facts)
        self._touches = Touches(facts)
        self._goals = Goals(facts, questions, self._moves.all)
        self._beliefs = WrongBeliefs(facts)
        self._tasks = {task.id: task for task in facts.tables.tasks}

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions by their names in queries; their lists are cached."""
        lists = (
            self.all_tasks,
            self.moves,
            self.touches,
            self.lost_grips,
            self.drops,
            self.wrong_takes,
            self.failed_tasks,
            self.unmet_goals,
            self.undone_goals,
            self.wrong_beliefs,
            self.overlooked_things,
            self.spills,
        )
        return {
            **{function.__name__: cache(function) for function in lists},
            "find_task": self.find_task,
            "events_of": self.events_of,
            "occasions_of": self.occasions_of,
            "task_at": self.task_at,
            "is_expected": self.is_expected,
            "supports": self.supports,
            "holder": self.holder,
            "hand_of": self._facts.bodies.hand_of,
        }

    def all_tasks(self) -> list[Row]:
        """all_tasks(): all tasks, by start time."""
        return list(map(self._task, self._facts.tables.tasks))

    def moves(self) -> list[Row]:
        """moves(): motions of objects that no hand held, without those that stayed where a hand had put them."""
        unmet = {found.move.number for found in self._unmet if found.move is not None}
        undone = {found.move.number for found in self._undone}
        lost = {row.row for row in self._lost_holds}
        return [
            row_of(
                move,
                blows=[row_of(row, by=move.other(row)) for row in move.blows],
                unmet=move.number in unmet,
                undone=move.number in undone,
                lost=move.grip is not None and (move.grip.row in lost or self._is_dropped(move)),
                expected=self._is_expected(move),
                meant=self._is_intended(move),
                again=self._continues(move),
            )
            for move in self._moves.all
            if move.upsets or move.blows or move.left != move.reached
        ]

    def touches(self) -> list[Row]:
        """touches(): unexpected touches of links and carried objects."""
        return [row_of(touch, static=self._touches.is_static(touch)) for touch in self._touches.all]

    def lost_grips(self) -> list[Row]:
        """lost_grips(): holds that ended although no task may release the object."""
        return list(map(row_of, self._lost_holds))

    def drops(self) -> list[Row]:
        """drops(): objects that hands dropped unintentionally: `object, hand, height, by_itself, from, to`."""
        return list(map(row_of, self._dropped))

    def wrong_takes(self) -> list[Row]:
        """wrong_takes(): objects that hands took while their tasks were about another one."""
        return list(map(row_of, wrongly_taken(self._facts)))

    def failed_tasks(self) -> list[Row]:
        """failed_tasks(): tasks that failed and were not repeated successfully."""
        return list(map(self._task, self._goals.failed()))

    def unmet_goals(self) -> list[Row]:
        """unmet_goals(): successful tasks whose goals do not hold."""
        return [row_of(found, robot=self._is_robot(found.entities)) for found in self._unmet]

    def undone_goals(self) -> list[Row]:
        """undone_goals(): goals that held at the end of their tasks, and that a blow to their subjects undid later."""
        return list(map(row_of, self._undone))

    def wrong_beliefs(self) -> list[Row]:
        """wrong_beliefs(): beliefs that were incorrect for longer than the delay of their messages."""
        return [{**row_of(belief.error), **row_of(belief)} for belief in self._beliefs.all()]

    def overlooked_things(self) -> list[Row]:
        """overlooked_things(): visible objects that perception tasks did not perceive."""
        return list(map(row_of, overlooked(self._facts)))

    def spills(self) -> list[Row]:
        """spills(): fluids that left their vessels unintentionally, or did not reach another one."""
        return list(map(row_of, spilled(self._facts)))

    def find_task(self, name: str) -> Row | None:
        """find_task(id): the task; null if there is none."""
        task = self._tasks.get(name)
        return None if task is None else self._task(task)

    def events_of(self, name: str) -> list[Row]:
        """events_of(name): the events of a name, by time."""
        return list(map(row_of, self._facts.events(name)))

    def occasions_of(self, fluent: str) -> list[Row]:
        """occasions_of(fluent): the occasions of a fluent, by start time."""
        return list(map(row_of, self._facts.tables.occasions.find(fluent)))

    def task_at(self, time: float) -> str | None:
        """task_at(time): id of the innermost task in progress at a time [s]; null if there is none."""
        time_ns = round(time * 1e9)
        tasks = self._facts.expectations.innermost(time_ns) or self._facts.expectations.near(
            time_ns
        )
        return tasks[-1].id if tasks else None

    def is_expected(self, name: str, arguments: Row, time: float) -> bool | None:
        """is_expected(name, arguments, time): whether the tasks may cause an event; null if none is in progress."""
        return self._facts.expectations.expects(name, arguments, round(time * 1e9))

    def supports(self, name: str, time: float) -> list[str]:
        """supports(object, time): its supports."""
        return self._facts.supports(name, round(time * 1e9))

    def holder(self, name: str, time: float) -> str:
        """holder(object, time): the hand that holds it; empty if none does."""
        return self._facts.holder(name, round(time * 1e9))

    @cached_property
    def _unmet(self) -> list[UnmetGoal]:
        return list(self._goals.unmet())

    @cached_property
    def _undone(self) -> list[UndoneGoal]:
        return list(self._goals.undone())

    @cached_property
    def _lost_holds(self) -> list[Occasion]:
        return list(lost(self._facts))

    @cached_property
    def _dropped(self) -> list[Drop]:
        return list(dropped(self._facts, self._moves.all))

    def _is_dropped(self, move: Move) -> bool:
        """Whether a motion is a drop that is reported already."""
        begin, end = move.span.from_ns, move.span.to_ns + LATE_NS
        return any(
            drop.object == move.object and begin <= drop.span.to_ns <= end for drop in self._dropped
        )

    def _is_expected(self, move: Move) -> bool | None:
        """Whether the tasks may move an object, and the body that struck it may touch it; None without a task."""
        expects = self._facts.expectations.expects
        found = [expects("loc_change", {"object": move.object}, move.span.from_ns)]
        found += [
            expects("collision", {"a": row.a, "b": row.b}, row.span.from_ns) for row in move.blows
        ]
        return None if None in found else all(found)

    def _continues(self, move: Move) -> bool:
        """Whether an object that toppled or fell on release leaves its support in a later motion."""
        return any(
            other.object == move.object
            and other.span.from_ns > move.span.from_ns
            and other.left != other.reached
            and other.grip is not None
            and move.grip is not None
            and other.grip.row == move.grip.row
            for other in self._moves.all
            if move.upsets
        )

    def _is_intended(self, move: Move) -> bool:
        """Whether the tasks may let an object fall or topple as it does."""
        expects = self._facts.expectations.expects
        return bool(move.upsets) and all(
            expects(event.name, {"object": move.object}, event.time_ns) for event in move.upsets
        )

    def _is_robot(self, names: Sequence[str]) -> bool:
        kinds = (EntityKind.ROBOT, EntityKind.LINK)
        return any(name == ROBOT or self._facts.bodies.kind(name) in kinds for name in names)

    def _task(self, task: Task) -> Row:
        return row_of(task, entities=list(self._facts.named.entities(task)))
