"""Conditions on the state of the scene, as occasions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.expressions.nodes import Binary, Call, Literal, number_of
from hetwin_core.ensemble.expressions.parser import WrongSyntax, parse
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.asking.answer import Evidence, of_state
from hetwin_core.episodes.asking.reading import Reading
from hetwin_core.episodes.asking.terms import State
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.tables.intervals import UNKNOWN, Intervals, Truths
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables

_SERIES: Mapping[str, Callable[[Floats], Floats]] = {
    "height": lambda rows: rows[:, 2],
    "speed": lambda rows: np.linalg.norm(rows[:, 7:10], axis=1),
}
"""What the evaluators of these names return, of (n, 13) poses and twists."""
_COMPARE: Mapping[str, Callable[[Any, float], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """Whether the height or the speed of a body is beyond a limit.

    Attributes:
        quantity: ``height`` or ``speed``, see the evaluators of these names.
        entity: whose.
        relation: the comparison, ``<``, ``<=``, ``>`` or ``>=``.
        limit: in m or m/s.
    """

    quantity: str
    entity: str
    relation: str
    limit: float

    def holds(self, rows: Floats) -> NDArray[np.bool_]:
        """Return (n,) whether it holds, of (n, 13) poses and twists in the world."""
        found: NDArray[np.bool_] = _COMPARE[self.relation](_SERIES[self.quantity](rows), self.limit)
        return found


def threshold(text: str) -> Threshold | None:
    """Return the threshold that a condition is; None if it is any other condition."""
    try:
        node = parse(text)
    except WrongSyntax:
        return None
    match node:
        case Binary(relation, Call(quantity, (Literal(str() as entity),)), other):
            limit = number_of(other)
            if relation in _COMPARE and quantity in _SERIES and limit is not None:
                return Threshold(quantity, entity, relation, float(limit))
    return None


STEP_NS = 50_000_000
"""States are looked at so far apart, and all of them between two that differ."""


class StateReader:
    """Evaluates expressions of triggers on the states of an episode.

    Args:
        tables: of the episode.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._expressions: dict[str, Expression] = {}

    def read(self, state: State, span: Interval) -> Reading:
        """Return when a condition is true, as far as an interval goes.

        Raises:
            BadInput: if it is wrong, or neither true nor false.
        """
        known = whole(self._tables)
        span = Interval(max(span.from_ns, known.from_ns), min(span.to_ns, known.to_ns))
        if span.from_ns >= span.to_ns:
            return Reading(UNKNOWN, ())
        if span.to_ns - span.from_ns <= 1:
            holds = self._holds(state, span.from_ns)
            true = Intervals([span] if holds else [])
            return Reading(Truths.known(true, span), (self._evidence(span.from_ns),))
        times, flags = self._all(state, span) or self._scan(state, self._times(span))
        true = Intervals.where(times, flags, span.to_ns).within(span)
        changes = np.flatnonzero(np.diff(flags)) + 1
        seen = tuple(self._evidence(int(times[i])) for i in (0, *changes.tolist()))
        return Reading(Truths.known(true, span), seen)

    def value(self, state: State, time_ns: int) -> tuple[Json, Evidence]:
        """Return the value of an expression at a moment, and the state that it was read from.

        Raises:
            BadInput: if it is wrong.
        """
        return self._value(state, time_ns), self._evidence(time_ns)

    def _all(
        self, state: State, span: Interval
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
        """Return the times of all states, and whether a threshold held then; None for any other condition."""
        compared = threshold(state.text)
        if compared is None or not self._tables.layout.has(compared.entity, POSE.name):
            return None
        times, rows = self._tables.poses.during(compared.entity, span)
        return np.asarray(times, np.int64), compared.holds(rows)

    def _scan(
        self, state: State, times: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the times that were looked at, and whether it held then."""
        gap = (
            max(1, round(STEP_NS / max(1, int(np.median(np.diff(times)))))) if len(times) > 1 else 1
        )
        looked = sorted({*range(0, len(times), gap), len(times) - 1})
        flags = {i: self._holds(state, int(times[i])) for i in looked}
        for low, high in pairwise(looked):
            if flags[low] != flags[high]:
                for i in range(low + 1, high):
                    flags[i] = self._holds(state, int(times[i]))
        indices = sorted(flags)
        return times[indices], np.array([flags[i] for i in indices], np.bool_)

    def _times(self, span: Interval) -> NDArray[np.int64]:
        posed = [s.entity for s in self._tables.layout.slots if s.attribute.name == POSE.name]
        if not posed:
            return np.array([span.from_ns], np.int64)
        return np.asarray(self._tables.poses.during(posed[0], span)[0], np.int64)

    def _holds(self, state: State, time_ns: int) -> bool:
        value = self._value(state, time_ns)
        if not isinstance(value, bool):
            raise BadInput(
                "a condition on the state must be true or false",
                where=state.text,
                found=value,
                expected='a condition such as height("box") > 0.9',
            )
        return value

    def _value(self, state: State, time_ns: int) -> Any:
        expression = self._expression(state.text)
        return evaluated(expression, state.variables, self._tables.poses.snapshot(time_ns))

    def _expression(self, text: str) -> Expression:
        if text not in self._expressions:
            self._expressions[text] = Expression(text)
        return self._expressions[text]

    def _evidence(self, time_ns: int) -> Evidence:
        row = self._tables.poses.row(time_ns)
        return of_state(row, self._tables.poses.snapshot(time_ns).time_ns)


def evaluated(expression: Expression, variables: Mapping[str, Json], scene: Snapshot) -> Any:
    """Return the value of an expression on a scene.

    Raises:
        BadInput: if it has none.
    """
    functions = {name: partial(function, scene) for name, function in all_evaluators().items()}
    try:
        return expression.evaluate(variables, functions)
    except EvaluationError as error:
        raise BadInput(
            error.reason, where=expression.text, expected="entities and attributes of the scene"
        ) from None
