"""Evaluates atoms from rows of intervals, and conditions from the states of an episode."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.expressions.evaluation import EvaluationError
from hetwin_core.ensemble.expressions.evaluators import all_evaluators
from hetwin_core.ensemble.expressions.expression import Expression
from hetwin_core.ensemble.expressions.nodes import Binary, Call, Literal, number_of
from hetwin_core.ensemble.expressions.parser import ExpressionSyntaxError, parse
from hetwin_core.ensemble.scene.poses import angles_between
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_core.episodes.asking.answer import Evidence, of_state
from hetwin_core.episodes.asking.names import Entities, Vocabulary
from hetwin_core.episodes.asking.terms import ANY, Argument, Atom, Place, State, Variable
from hetwin_core.episodes.asking.times import whole
from hetwin_core.episodes.tables.intervals import UNKNOWN, Intervals, Truths
from hetwin_core.episodes.tables.rows import Interval
from hetwin_core.episodes.tables.tables import Tables, UnobservedInterval

POSE_SIZE = 7
"""Number of values of a place with an orientation."""
Names = frozenset[str] | None
"""Entities that an argument means; None: any."""


Binding: TypeAlias = Mapping[str, str]
"""Variable -> entity."""


class Reading(NamedTuple):
    """The result of an evaluation.

    Attributes:
        truths: when it is true and when it is false; may be incomplete outside the requested interval.
        evidence: supporting rows.
        blind: when it was not observed, and why.
    """

    truths: Truths
    evidence: tuple[Evidence, ...]
    blind: tuple[UnobservedInterval, ...] = ()


def entity_of(argument: Argument, binding: Binding) -> str | None:
    """Return the entity of an argument; None for any."""
    if isinstance(argument, Variable):
        return binding.get(argument.name)
    return argument


class Row(NamedTuple):
    """When a fluent was true of two entities, and the supporting row."""

    a: str
    b: str
    from_ns: int
    to_ns: int
    evidence: Evidence


class Source:
    """Evaluates atoms from rows of intervals.

    Args:
        tables: tables of the episode.
        entities: its entities.
        vocabulary: its vocabulary.
    """

    in_parts: frozenset[str] = frozenset()
    """Fluents with hundreds of thousands of rows, which are read only for the requested interval."""

    def __init__(self, tables: Tables, entities: Entities, vocabulary: Vocabulary) -> None:
        self._tables = tables
        self._entities = entities
        self._vocabulary = vocabulary

    def read(self, atom: Atom, binding: Binding, span: Interval) -> Reading:
        """Return when an atom is true; unbound variables match any entity."""
        if atom.place is not None:
            return self._near(atom, atom.place, binding, self._inside(span))
        blind = self._blind(atom, binding)
        if not self._is_known(atom, binding):
            return Reading(UNKNOWN, (), blind)
        within = self._inside(span) if atom.name in self.in_parts else whole(self._tables)
        rows = list(self._rows(atom, binding, within))
        true = Intervals((row.from_ns, row.to_ns) for row in rows)
        unseen = self._unseen(atom, binding, blind) if blind else Intervals()
        known = Truths.known(true, within) - unseen
        return Reading(known, tuple(row.evidence for row in rows), blind)

    def bindings(self, atom: Atom) -> list[Binding]:
        """Return the bindings of an atom's variables with which it is true at some time."""
        found: dict[tuple[tuple[str, str], ...], Binding] = {}
        for row in self._rows(atom, {}, whole(self._tables)):
            for entities in self._orders(atom, row):
                binding = bound(atom.arguments, entities)
                if binding is not None:
                    found.setdefault(tuple(binding.items()), binding)
        return list(found.values())

    def state(self, state: State, span: Interval) -> Reading:
        """Refuse a condition on the state, because beliefs have no state of the scene.

        Raises:
            BadInput: always.
        """
        raise BadInput(
            "a condition on the state is about the world, not about beliefs",
            found=state.text,
            expected='a fluent, e.g. loc("box", {"near": [0.45, 0.2, 0.8], "within": 0.02})',
        )

    def _rows(self, atom: Atom, binding: Binding, span: Interval) -> Iterable[Row]:
        raise NotImplementedError

    def _near(self, atom: Atom, place: Place, binding: Binding, span: Interval) -> Reading:
        raise NotImplementedError

    def _is_known(self, atom: Atom, binding: Binding) -> bool:
        raise NotImplementedError

    def _blind(self, atom: Atom, binding: Binding) -> tuple[UnobservedInterval, ...]:
        """Return the intervals in which it was not observed whether an atom is false."""
        return ()

    def _unseen(
        self, atom: Atom, binding: Binding, blind: Sequence[UnobservedInterval]
    ) -> Intervals:
        """Return the intervals in which an atom that is not true is unknown."""
        return Intervals(interval.span for interval in blind)

    def _orders(self, atom: Atom, row: Row) -> tuple[tuple[str, str], ...]:
        """Return the entities of a row in the orders in which variables may match them."""
        return ((row.a, row.b),)

    def _names(self, atom: Atom, index: int, binding: Binding) -> Names:
        """Return the entities that an argument means; in fluents of contact including their links."""
        argument = atom.arguments[index] if index < len(atom.arguments) else ANY
        entity = entity_of(argument, binding)
        if entity is None or isinstance(argument, Variable):
            return None if entity is None else frozenset({entity})
        return self._entities.meant(entity, atom.name)

    def _inside(self, span: Interval) -> Interval:
        known = whole(self._tables)
        return Interval(max(span.from_ns, known.from_ns), min(span.to_ns, known.to_ns))

    def _until(self, to_ns: int) -> int:
        """Return the end of an interval; if it is still open, just after the last moment of the log."""
        last = self._tables.known_until_ns
        return last + 1 if to_ns >= last else to_ns


def compared(
    poses: Floats, place: Place, near: Floats
) -> tuple[NDArray[np.bool_], Floats, list[int]]:
    """Compare poses with a place.

    Args:
        poses: (n, 7) or more columns, x y z [m] and qw qx qy qz.
        place: the place with its limits.
        near: (2,), (3,) or (7,), or one position for each pose, (n, 3).

    Returns:
        (n,) whether each is near, (n,) distance of each [m], and the indices of the most informative ones.
    """
    size = min(near.shape[-1], 3)
    distance = np.linalg.norm(poses[:, :size] - near[..., :size], axis=1)
    holds = distance <= place.within
    if near.shape[-1] >= POSE_SIZE and not isinstance(place.near, str):
        holds &= angles_between(poses[:, 3:7], near[..., 3:7]) <= place.turned
    changes = np.flatnonzero(np.diff(holds)) + 1
    chosen = sorted({0, int(np.argmax(distance)), len(poses) - 1, *changes.tolist()})
    return np.asarray(holds, np.bool_), distance, chosen


def fits(entity: str, names: Names) -> bool:
    """Return whether an entity is among some names."""
    return names is None or entity in names


def bound(arguments: tuple[Argument, ...], entities: tuple[str, str]) -> Binding | None:
    """Return the bindings of variables; None if one variable would have two values."""
    found: dict[str, str] = {}
    for argument, entity in zip(arguments, entities, strict=False):
        if isinstance(argument, Variable) and found.setdefault(argument.name, entity) != entity:
            return None
    return found


_SERIES: Mapping[str, Callable[[Floats], Floats]] = {
    "height": lambda rows: rows[:, 2],
    "speed": lambda rows: np.linalg.norm(rows[:, 7:10], axis=1),
}
"""Vectorized evaluators by name, for (n, 13) poses and twists."""
_COMPARE: Mapping[str, Callable[[Any, float], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Threshold:
    """A condition that compares the height or the speed of a body with a limit.

    Attributes:
        quantity: ``height`` or ``speed``, see the evaluators of these names.
        entity: name of the body.
        relation: the comparison, ``<``, ``<=``, ``>`` or ``>=``.
        limit: in m or m/s.
    """

    quantity: str
    entity: str
    relation: str
    limit: float

    def holds(self, rows: Floats) -> NDArray[np.bool_]:
        """Return (n,) whether it holds, for (n, 13) poses and twists in the world."""
        found: NDArray[np.bool_] = _COMPARE[self.relation](_SERIES[self.quantity](rows), self.limit)
        return found


def threshold(text: str) -> Threshold | None:
    """Return a condition as a threshold; None if it is any other condition."""
    try:
        node = parse(text)
    except ExpressionSyntaxError:
        return None
    match node:
        case Binary(relation, Call(quantity, (Literal(str() as entity),)), other):
            limit = number_of(other)
            if relation in _COMPARE and quantity in _SERIES and limit is not None:
                return Threshold(quantity, entity, relation, float(limit))
    return None


STEP_NS = 50_000_000
"""Period at which states are evaluated [ns]; between two with different results, all states are."""


class StateReader:
    """Evaluates expressions of triggers on the states of an episode.

    Args:
        tables: tables of the episode.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._expressions: dict[str, Expression] = {}

    def read(self, state: State, span: Interval) -> Reading:
        """Return when a condition is true in an interval.

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
        times, flags = self._threshold_flags(state, span) or self._scan(state, self._times(span))
        true = Intervals.where(times, flags, span.to_ns).within(span)
        changes = np.flatnonzero(np.diff(flags)) + 1
        seen = tuple(self._evidence(int(times[i])) for i in (0, *changes.tolist()))
        return Reading(Truths.known(true, span), seen)

    def value(self, state: State, time_ns: int) -> tuple[Json, Evidence]:
        """Return the value of an expression at a moment, and the state that it was evaluated on.

        Raises:
            BadInput: if it is wrong.
        """
        return self._value(state, time_ns), self._evidence(time_ns)

    def _threshold_flags(
        self, state: State, span: Interval
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
        """Return the times of all states, and whether a threshold holds then; None for any other condition."""
        compared = threshold(state.text)
        if compared is None or not self._tables.layout.has(compared.entity, POSE.name):
            return None
        times, rows = self._tables.poses.during(compared.entity, span)
        return np.asarray(times, np.int64), compared.holds(rows)

    def _scan(
        self, state: State, times: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the evaluated times, and whether the condition holds then."""
        stride = (
            max(1, round(STEP_NS / max(1, int(np.median(np.diff(times)))))) if len(times) > 1 else 1
        )
        sampled = sorted({*range(0, len(times), stride), len(times) - 1})
        flags = {i: self._holds(state, int(times[i])) for i in sampled}
        for low, high in pairwise(sampled):
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
        BadInput: if it has no value.
    """
    functions = {name: partial(function, scene) for name, function in all_evaluators().items()}
    try:
        return expression.evaluate(variables, functions)
    except EvaluationError as error:
        raise BadInput(
            error.reason, where=expression.text, expected="entities and attributes of the scene"
        ) from None
