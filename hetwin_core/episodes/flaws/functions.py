"""The functions that the queries of rules may call, beside those of questions, and the rows that they return."""

# ruff: noqa: D402 (users read the first line of each function: how it is called)
from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import Any

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.expecting.bodies import ROBOT
from hetwin_core.episodes.flaws.facts import Facts
from hetwin_core.episodes.flaws.goals import Goals, Undone, Unmet
from hetwin_core.episodes.flaws.hands import (
    Drop,
    Taken,
    Touch,
    Touches,
    dropped,
    lost,
    wrongly_taken,
)
from hetwin_core.episodes.flaws.moves import LATE_NS, Move, Moves
from hetwin_core.episodes.flaws.perception import (
    Overlooked,
    Spilled,
    WrongBelief,
    WrongBeliefs,
    overlooked,
    spilled,
)
from hetwin_core.episodes.tables.rows import BeliefError, Happening, Interval, Occasion, Task

Row = dict[str, Any]


def times(span: Interval) -> Row:
    """Return an interval."""
    return {"from": span.from_ns / 1e9, "to": span.to_ns / 1e9}


def of_occasion(row: Occasion) -> Row:
    """Return an occasion."""
    named = {"fluent": row.fluent, "a": row.a, "b": row.b, "ended": row.ended}
    return {"table": "occasions", "row": row.row, **times(row.span), **named}


def of_event(row: Happening) -> Row:
    """Return an event."""
    span = Interval(row.time_ns, row.time_ns)
    more = {"name": row.name, "source": row.source, "arguments": dict(row.arguments)}
    return {"table": "events", "row": row.row, "time": row.time_ns / 1e9, **times(span), **more}


def of_task(row: Task, entities: Sequence[str]) -> Row:
    """Return a task; `entities` are those that it names."""
    return {
        "table": "tasks",
        "row": row.row,
        **times(row.span),
        "id": row.id,
        "parent": row.parent,
        "after": list(row.after),
        "operation": row.operation,
        "goal": row.goal,
        "status": row.status.value,
        "reason": row.reason,
        "variables": dict(row.variables),
        "entities": list(entities),
    }


def of_error(row: BeliefError) -> Row:
    """Return a wrong belief's row."""
    named = {"fluent": row.fluent, "a": row.a, "b": row.b}
    more = {"distance": row.distance, "angle": row.angle}
    return {"table": "belief_errors", "row": row.row, **times(row.span), **named, **more}


def of_wrong(found: WrongBelief) -> Row:
    """Return a wrong belief as the rules judge it."""
    more = {
        "formed": found.formed_ns / 1e9,
        "stale": found.stale,
        "instead": found.instead,
        "evidence": [of_error(found.error)],
    }
    return {**of_error(found.error), **more}


def of_move(move: Move, **more: bool | None) -> Row:
    """Return a motion, with more that is known of it."""
    blows = [_blow(move, row) for row in move.blows]
    rows = [*map(of_event, move.upsets), *map(of_occasion, move.blows)]
    names = {event.name for event in move.upsets}
    return {
        "number": move.number,
        "object": move.object,
        **times(move.span),
        "hand": "" if move.grip is None else move.grip.b,
        "released": None if move.grip is None else move.grip.span.to_ns / 1e9,
        "in_motion": move.in_motion,
        "left": move.left,
        "parted": move.parted_ns / 1e9,
        "reached": move.reached,
        "upset": sorted(names),
        "blows": blows,
        "struck": bool(blows),
        **more,
        "evidence": [*rows, *([] if move.grip is None else [of_occasion(move.grip)])],
    }


def _blow(move: Move, row: Occasion) -> Row:
    return {**of_occasion(row), "by": row.b if row.a == move.object else row.a}


def of_touch(touch: Touch, static: bool, event: Happening | None) -> Row:
    """Return an unexpected touch; `event` tells of it if no contact does."""
    rows = [of_occasion(row) for row in touch.rows]
    return {
        "body": touch.body,
        "by": touch.by,
        "hand": touch.hand,
        "carried": list(touch.carried),
        "static": static,
        **times(touch.span),
        "evidence": rows if event is None else [*rows, of_event(event)],
    }


def of_unmet(found: Unmet, robot: bool) -> Row:
    """Return a task that is done without its goal; `robot` is whether that is about a robot."""
    move = found.move
    return {
        "task": of_task(found.task, found.entities),
        "goal": found.goal,
        "fluents": list(found.fluents),
        "entities": list(found.entities),
        "believed": found.believed,
        "since": found.since_ns / 1e9,
        "done": found.task.span.to_ns / 1e9,
        "robot": robot,
        "lost": "" if move is None else move.object,
        "evidence": [
            of_task(found.task, ()),
            *(of_event(e) for e in (move.upsets if move else ())),
        ],
    }


def of_undone(found: Undone) -> Row:
    """Return a goal that was undone."""
    blow = found.move.blows[0]
    return {
        "task": of_task(found.task, ()),
        "by": "" if found.by is None else found.by.id,
        "move": found.move.number,
        "object": found.move.object,
        "striker": blow.b if blow.a == found.move.object else blow.a,
        "struck": blow.span.from_ns / 1e9,
        "ended": found.occasion.span.to_ns / 1e9,
        "until": found.move.span.to_ns / 1e9,
        "place": found.occasion.b,
        "evidence": [of_occasion(found.occasion), of_occasion(blow), of_task(found.task, ())],
    }


def of_drop(found: Drop) -> Row:
    """Return what a hand dropped."""
    row = found.row
    return {
        "object": found.object,
        "hand": found.hand,
        "height": found.height,
        "by_itself": found.by_itself,
        **times(found.span),
        "evidence": [of_event(row) if isinstance(row, Happening) else of_occasion(row)],
    }


def of_taken(found: Taken) -> Row:
    """Return what a hand took though its task is about something else."""
    rows = [of_occasion(found.grip)] if found.grip is not None else []
    return {
        "object": found.object,
        "hand": found.hand,
        "meant": list(found.meant),
        "task": found.task.id,
        **times(found.span),
        "evidence": [*rows, *([of_event(found.event)] if found.event is not None else [])],
    }


def of_overlooked(found: Overlooked) -> Row:
    """Return what was visible and not perceived."""
    return {
        "object": found.object,
        "task": found.task.id,
        "from": max(found.visible.span.from_ns, found.task.span.from_ns) / 1e9,
        "to": min(found.visible.span.to_ns, found.task.span.to_ns) / 1e9,
        "evidence": [of_occasion(found.visible), of_task(found.task, ())],
    }


def of_spilled(found: Spilled) -> Row:
    """Return what was spilled."""
    span = Interval(found.events[0].time_ns, found.events[-1].time_ns)
    return {
        "vessel": found.vessel,
        "count": found.count,
        "task": "" if found.task is None else found.task.id,
        "target": list(found.task.variables.values()) if found.task is not None else [],
        **times(span),
        "evidence": [of_event(event) for event in (found.events[0], found.events[-1])],
    }


class Findings:
    """What the rules start from: rows of the tables, and what happened in words of manipulation.

    Args:
        facts: of the episode.
        questions: to it.
    """

    def __init__(self, facts: Facts, questions: Questions) -> None:
        self._facts = facts
        self._moves = Moves(facts)
        self._touches = Touches(facts)
        self._goals = Goals(facts, questions, self._moves.all)
        self._beliefs = WrongBeliefs(facts)
        self._tasks = {task.id: task for task in facts.tables.tasks}

    def functions(self) -> dict[str, Callable[..., Any]]:
        """Return the functions by their names in queries; the lists are made once."""
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
        """all_tasks(): all tasks, by begin."""
        return [self._task(task) for task in self._facts.tables.tasks]

    def moves(self) -> list[Row]:
        """moves(): how objects moved that no hand held; without those that stayed where a hand had put them."""
        unmet = {found.move.number for found in self._unmet if found.move is not None}
        undone = {found.move.number for found in self._undone}
        lost = {row.row for row in self._lost}
        return [
            of_move(
                move,
                unmet=move.number in unmet,
                undone=move.number in undone,
                lost=move.grip is not None and (move.grip.row in lost or self._is_dropped(move)),
                expected=self._is_expected(move),
                meant=self._is_meant(move),
                again=self._goes_on(move),
            )
            for move in self._moves.all
            if move.upsets or move.blows or move.left != move.reached
        ]

    def touches(self) -> list[Row]:
        """touches(): what links and carried objects touched without that being expected."""
        events = self._facts.tables.events
        return [
            of_touch(
                touch,
                self._touches.is_static(touch),
                events[touch.event_row] if touch.event_row >= 0 else None,
            )
            for touch in self._touches.all
        ]

    def lost_grips(self) -> list[Row]:
        """lost_grips(): holds that ended though no task may let go."""
        return [of_occasion(row) for row in self._lost]

    def drops(self) -> list[Row]:
        """drops(): what hands dropped without that being meant: `object, hand, height, by_itself, from, to`."""
        return [of_drop(drop) for drop in self._dropped]

    def wrong_takes(self) -> list[Row]:
        """wrong_takes(): what hands took while their tasks were about something else."""
        return [of_taken(found) for found in wrongly_taken(self._facts)]

    def failed_tasks(self) -> list[Row]:
        """failed_tasks(): tasks that failed, and that no later one made good."""
        return [self._task(task) for task in self._goals.failed()]

    def unmet_goals(self) -> list[Row]:
        """unmet_goals(): tasks that are done though their goals do not hold."""
        return [of_unmet(found, self._is_robot(found.entities)) for found in self._unmet]

    def undone_goals(self) -> list[Row]:
        """undone_goals(): goals that held when their tasks were done, and that the robot then undid by a blow."""
        return [of_undone(found) for found in self._undone]

    def wrong_beliefs(self) -> list[Row]:
        """wrong_beliefs(): beliefs that were wrong for longer than their messages need to follow the world."""
        return [of_wrong(found) for found in self._beliefs.all()]

    def overlooked_things(self) -> list[Row]:
        """overlooked_things(): what was visible in tasks that look, and was not perceived."""
        return [of_overlooked(found) for found in overlooked(self._facts)]

    def spills(self) -> list[Row]:
        """spills(): fluids that left their vessels and were not meant to, or did not arrive."""
        return [of_spilled(found) for found in spilled(self._facts)]

    def find_task(self, name: str) -> Row | None:
        """find_task(id): the task; null if there is none."""
        task = self._tasks.get(name)
        return None if task is None else self._task(task)

    def events_of(self, name: str) -> list[Row]:
        """events_of(name): the events of a name, by time."""
        return [of_event(row) for row in self._facts.events(name)]

    def occasions_of(self, fluent: str) -> list[Row]:
        """occasions_of(fluent): the occasions of a fluent, by begin."""
        return [of_occasion(row) for row in self._facts.tables.occasions.find(fluent)]

    def task_at(self, time: float) -> str | None:
        """task_at(time): id of the innermost task that goes on at a time [s]; null if none does."""
        time_ns = round(time * 1e9)
        tasks = self._facts.expectations.innermost(time_ns) or self._facts.expectations.near(
            time_ns
        )
        return tasks[-1].id if tasks else None

    def is_expected(self, name: str, arguments: Row, time: float) -> bool | None:
        """is_expected(name, arguments, time): whether the tasks may cause an event; null if none goes on."""
        return self._facts.expectations.expects(name, arguments, round(time * 1e9))

    def supports(self, name: str, time: float) -> list[str]:
        """supports(object, time): what it stands on."""
        return self._facts.supports(name, round(time * 1e9))

    def holder(self, name: str, time: float) -> str:
        """holder(object, time): the hand that holds it; empty if none does."""
        return self._facts.holder(name, round(time * 1e9))

    @cached_property
    def _unmet(self) -> list[Unmet]:
        return list(self._goals.unmet())

    @cached_property
    def _undone(self) -> list[Undone]:
        return list(self._goals.undone())

    @cached_property
    def _lost(self) -> list[Occasion]:
        return list(lost(self._facts))

    @cached_property
    def _dropped(self) -> list[Drop]:
        return list(dropped(self._facts, self._moves.all))

    def _is_dropped(self, move: Move) -> bool:
        """Whether a motion is a drop that has been told."""
        begin, end = move.span.from_ns, move.span.to_ns + LATE_NS
        return any(
            drop.object == move.object and begin <= drop.span.to_ns <= end for drop in self._dropped
        )

    def _is_expected(self, move: Move) -> bool | None:
        """Whether the tasks may move an object, and what struck it may touch it; None if none goes on."""
        expects = self._facts.expectations.expects
        found = [expects("loc_change", {"object": move.object}, move.span.from_ns)]
        found += [
            expects("collision", {"a": row.a, "b": row.b}, row.span.from_ns) for row in move.blows
        ]
        return None if None in found else all(found)

    def _goes_on(self, move: Move) -> bool:
        """Whether an object that toppled or fell when a hand let go of it then leaves its support in a later motion."""
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

    def _is_meant(self, move: Move) -> bool:
        """Whether the tasks may let an object fall or topple as it does."""
        expects = self._facts.expectations.expects
        return bool(move.upsets) and all(
            expects(event.name, {"object": move.object}, event.time_ns) for event in move.upsets
        )

    def _is_robot(self, names: Sequence[str]) -> bool:
        kinds = (EntityKind.ROBOT, EntityKind.LINK)
        return any(name == ROBOT or self._facts.bodies.kind(name) in kinds for name in names)

    def _task(self, task: Task) -> Row:
        return of_task(task, self._facts.named.entities(task))
