"""The functions that questions in CEL may call, and the evidence of their answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.sentences.catalogue import say
from hetwin_core.episodes.asking.answer import (
    Answer,
    Evidence,
    NotKnown,
    Record,
    of_event,
    of_task,
    reason,
)
from hetwin_core.episodes.asking.formulas import BuiltTerm, TermFunctions, bare, rows_of_terms
from hetwin_core.episodes.asking.questions import Questions
from hetwin_core.episodes.asking.terms import Atom, Term, Variable
from hetwin_core.episodes.asking.times import (
    AskedTime,
    Moment,
    Sort,
    Span,
    When,
    nanoseconds,
    span_of,
)
from hetwin_core.episodes.tables.intervals import RELATIONS, Relation
from hetwin_core.episodes.tables.rows import Happening, Interval, Status, Task, row_of
from hetwin_core.episodes.tables.tables import Tables

TASK_ROW = "task_row"
EVENT_ROW = "event_row"
SHOWN_OF_TASK = ("id", "operation", "from", "to", "status")
SHOWN_OF_EVENT = ("name", "time", "arguments")


def task_map(task: Task, tables: Tables) -> dict[str, Any]:
    """Return a task as a map; times in s, the end is null for a task in progress in a growing log."""
    ended = tables.finished or task.status not in (Status.CREATED, Status.ACTIVE)
    row = row_of(task)
    end = row["to"] if ended else None
    # from and to are the columns of the table, start and end the words of questions
    return {**row, "to": end, "start": row["from"], "end": end, TASK_ROW: task.row}


def event_map(event: Happening, row: int | None) -> dict[str, Any]:
    """Return an event as a map; its time in s.

    Args:
        event: an event of the world or of beliefs.
        row: its number in the events; None if it is not a row of the events.
    """
    return {
        "name": event.name,
        "time": event.time_ns / 1e9,
        "arguments": dict(event.arguments),
        "source": event.source,
        EVENT_ROW: row,
    }


def shown(value: Any) -> Any:
    """Return a value as answers show it; maps are sorted, because CEL does not keep their order."""
    if isinstance(value, Mapping):
        if TASK_ROW in value:
            return {key: value[key] for key in SHOWN_OF_TASK}
        if EVENT_ROW in value:
            return {key: shown(value[key]) for key in SHOWN_OF_EVENT}
        return {str(key): shown(one) for key, one in sorted(value.items())}
    if isinstance(value, list | tuple):
        return [shown(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


PAIR = 2
Value = Any
"""Numbers, texts, lists, maps, some of which represent tasks and events; terms and times."""


class Functions:
    """Functions of one question.

    Args:
        questions: answers questions about the episode.
        names: names of fluents, events and attributes.
    """

    def __init__(self, questions: Questions, names: Sequence[str]) -> None:
        self._questions = questions
        self._terms = TermFunctions(names)
        self.record = Record()
        own: Mapping[str, Callable[..., Any]] = {
            "holds": self._holds,
            "believed": self._believed,
            "occurs": self._occurs,
            "value": self._value,
            "variable": self._variable,
            "count": self._count,
            "incorrect_belief": self._incorrect_belief,
            "expected": self._expected,
            "causes": self._causes,
            "task": self._task,
            "tasks": self._tasks,
            "supertask": self._supertask,
            "goal": self._goal,
            "at": partial(self._time, Sort.AT),
            "throughout": partial(self._time, Sort.THROUGHOUT),
        }
        relations = {name: partial(self._related, name, r) for name, r in RELATIONS.items()}
        self.functions: dict[str, Callable[..., Any]] = {
            **self._terms.functions,
            **relations,
            **own,
            "during": self._during,
        }

    # ------------------------------------------------------------------ states and events

    def _holds(self, term: Value, when: Value) -> bool:
        answer = self._questions.holds(self._terms.term(term), self._when(when))
        return self._record_truth(answer, term, when)

    def _believed(self, term: Value, when: Value = None) -> Value:
        given = self._terms.term(term)
        is_event = isinstance(given, Atom) and self._questions.vocabulary.is_event(given.name)
        believed = self._questions.believed
        if isinstance(given, Atom) and is_event:
            time = None if when is None else self._when(when)
            return [self._believed_event(e) for e in believed.occurs(given, time)]
        if when is None:
            raise _needs_time("believed", str(given))
        return self._record_truth(believed.holds(given, self._when(when)), term, when)

    def _incorrect_belief(self, term: Value, when: Value = None) -> bool:
        given = self._terms.term(term)
        is_any_time = when is None or isinstance(when, Variable)
        time = None if is_any_time else self._when(when)
        answer = self._questions.incorrect_belief(given, time)  # type: ignore[arg-type]
        return self._record_truth(answer, term, when)

    def _occurs(self, pattern: Value, when: Value = None) -> list[dict[str, Any]]:
        time = None if when is None or isinstance(when, Variable) else self._when(when)
        found = self._questions.occurs(self._atom(pattern), time)
        return [event_map(event, event.row) for event in found]

    def _value(self, term: Value, when: Value) -> Value:
        measured = self._questions.value(self._terms.term(term), self._when(when))
        return self._record_value(measured.value, measured.evidence, when)

    def _variable(self, name_or_term: Value, when: Value, task: Value = None) -> Value:
        name_or_atom = name_or_term if isinstance(name_or_term, str) else self._atom(name_or_term)
        task_with_variable = None if task is None else self._task_of(task)
        measured = self._questions.variable(name_or_atom, self._when(when), task_with_variable)
        return self._record_value(measured.value, measured.evidence, when)

    def _count(self, counted: Value) -> int:
        if isinstance(counted, list):
            self.record.rows(*self.rows_of(counted))
            return len(counted)
        return self._questions.count(self._terms.term(counted))

    def _expected(self, event: Value) -> bool:
        found = self._questions.expected(self._event_of(event))
        if found is None:
            raise NotKnown("the robot reports no tasks")
        return found

    def _causes(self, *given: Value) -> Value:
        """Return the causes of an event, whether a cause is among them, or whether a state caused a belief."""
        if len(given) == 3:  # fluent, belief, moment
            state, belief, when = given
            answer = self._questions.caused(
                self._terms.term(state), self._atom(belief), self._when(when)
            )
            return self._record_truth(answer, when)
        *causes, effect = given
        found = self._questions.causes(self._event_of(effect))
        maps = [self._cause(cause) for cause in found]
        self.record.rows(*self.rows_of([*maps, effect]))
        if not causes:
            return maps
        (cause,) = causes
        return any(_is_same(cause, one) for one in maps)

    def _cause(self, cause: Happening | Task) -> dict[str, Any]:
        if isinstance(cause, Task):
            return task_map(cause, self._questions.tables)
        return event_map(cause, cause.row)

    # ------------------------------------------------------------------ tasks

    def _task(self, name: Value) -> dict[str, Any]:
        task = self._questions.task(_text(name, "task"))
        self.record.rows(of_task(task))
        return task_map(task, self._questions.tables)

    def _tasks(self, operation: Value = None) -> list[dict[str, Any]]:
        is_any_operation = operation is None or isinstance(operation, Variable)
        found = self._questions.tasks(None if is_any_operation else _text(operation, "tasks"))
        return [task_map(task, self._questions.tables) for task in found]

    def _supertask(self, task: Value) -> dict[str, Any] | None:
        found = self._questions.supertask(self._task_of(task))
        if found is None:
            return None
        self.record.rows(of_task(found))
        return task_map(found, self._questions.tables)

    def _goal(self, task: Value) -> Value:
        found = self._task_of(task)
        return BuiltTerm(self._questions.goal(found), (of_task(found),))

    # ------------------------------------------------------------------ times

    def _time(self, sort: Sort, first: Value, last: Value = None) -> Value:
        rows = self.rows_of([first, last])
        end = None if last is None else self._point(last)
        return BuiltTerm(When(sort, self._point(first), end), rows)

    def _during(self, first: Value, last: Value = None) -> Value:
        """Return a time within moments or a task; for two intervals, whether the first is during the second."""
        if last is not None and self._is_span(last):
            return self._related("during", RELATIONS["during"], first, last)
        return self._time(Sort.DURING, first, last)

    def _related(self, name: str, relation: Relation, one: Value, other: Value) -> bool:
        left_spans, right_spans = self._spans(one, name), self._spans(other, name)
        return any(relation(x, y) for x in left_spans for y in right_spans)

    def _is_span(self, value: Value) -> bool:
        is_pair = isinstance(value, list) and len(value) == PAIR
        is_term = isinstance(bare(value), Term)
        return is_pair or is_term or (isinstance(value, Mapping) and TASK_ROW in value)

    def _spans(self, value: Value, name: str) -> list[Interval]:
        """Return the intervals of a relation's argument: a fluent's occasions, a task's interval, an event's moment."""
        term = bare(value)
        if isinstance(term, Term):
            answer = self._questions.where(term)
            self._record_truth(answer, value, None)
            return list(answer.intervals)
        point = self._point(value)
        self.record.rows(*self.rows_of([value]))
        match point:
            case Task():
                return [span_of(point, self._questions.tables)]
            case Interval():
                return [point]
            case Happening():
                return [Interval(point.time_ns, point.time_ns)]
        raise BadInput(
            "this is not an interval",
            where=name,
            found=value,
            expected="a task, an event, a fluent, or [from, to]",
        )

    def _when(self, value: Value) -> AskedTime:
        found = bare(value)
        if isinstance(found, When):
            return found
        if isinstance(found, Term | Variable):
            raise BadInput("this is not a time", found=value, expected="at(...), during(...)")
        return self._point(value)

    def _point(self, value: Value) -> Moment | Span:
        if value is None:
            raise NotKnown("this time is unknown")
        if isinstance(value, Mapping) and TASK_ROW in value:
            return self._task_of(value)
        if isinstance(value, Mapping) and EVENT_ROW in value:
            return self._event_of(value)
        if isinstance(value, list) and len(value) == PAIR:
            return Interval(nanoseconds(value[0]), nanoseconds(value[1]))
        return nanoseconds(value) / 1e9

    # ------------------------------------------------------------------ values of CEL

    def rows_of(self, values: Sequence[Value]) -> tuple[Evidence, ...]:
        """Return the rows of the tasks and events among values."""
        found: list[Evidence] = []
        for value in values:
            if isinstance(value, Mapping) and TASK_ROW in value:
                found.append(of_task(self._task_of(value)))
            elif isinstance(value, Mapping) and value.get(EVENT_ROW) is not None:
                found.append(of_event(self._event_of(value)))
        return tuple(found)

    def _record_truth(self, answer: Answer, *arguments_used: Value) -> bool:
        self.record.note(answer, rows_of_terms(*arguments_used))
        if answer.truth is None:
            raise NotKnown(reason(answer.why))
        return answer.truth

    def _record_value(self, value: Value, evidence: tuple[Evidence, ...], when: Value) -> Value:
        self.record.rows(*evidence, *rows_of_terms(when))
        if value is None and not evidence:
            raise NotKnown(say("question.not_said"))
        return value

    def _atom(self, value: Value) -> Atom:
        term = self._terms.term(value)
        if not isinstance(term, Atom):
            raise BadInput(
                "this is not an event", found=str(term), expected='one event, e.g. picked_up("box")'
            )
        return term

    def _task_of(self, value: Value) -> Task:
        if isinstance(value, Mapping) and TASK_ROW in value:
            return self._questions.task_tree.row(int(value[TASK_ROW]))
        if isinstance(value, str):
            return self._questions.task(value)
        raise BadInput("this is not a task", found=value, expected='a task, e.g. task("place.1")')

    def _event_of(self, value: Value) -> Happening:
        if isinstance(value, Mapping) and EVENT_ROW in value:
            row = value[EVENT_ROW]
            if row is not None:
                return self._questions.happenings.row(int(row))
            time_ns = nanoseconds(value["time"])
            return Happening(-1, time_ns, value["name"], value["source"], value["arguments"])
        raise BadInput(
            "this is not an event", found=value, expected='e.g. occurs(picked_up("box"))[0]'
        )

    def _believed_event(self, event: Happening) -> dict[str, Any]:
        """Return an event that the robot believes; one of a task is no row of the events, so the task is recorded."""
        from_task = event.arguments.get("task")
        if isinstance(from_task, str):
            self.record.rows(of_task(self._questions.task(from_task)))
            return event_map(event, None)
        return event_map(event, event.row)


def _is_same(cause: Value, other: Mapping[str, Any]) -> bool:
    """Return whether a task, its id, or an event is the same as another."""
    if isinstance(cause, str):
        return bool(other.get("id") == cause)
    key = TASK_ROW if TASK_ROW in cause else EVENT_ROW
    return key in other and bool(other[key] == cause.get(key))


def _text(value: Value, function: str) -> str:
    if isinstance(value, str):
        return value
    raise BadInput("this is not a name", where=function, found=value, expected="a name in quotes")


def _needs_time(function: str, term: str) -> BadInput:
    return BadInput(
        "a fluent needs a time", where=function, found=term, expected=f"{function}({term}, at(...))"
    )
