"""The rows of an episode's tables as columns of numpy arrays, which DuckDB reads without copying rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_sql.changed_poses import changed_poses
from hetwin_sql.truths import truths
from hetwin_sql.views import NUMBER, TRUTH, VIEWS, WHOLE, Column
from hetwin_suite.command import plain
from hetwin_suite.tables import (
    Belief,
    BeliefError,
    BeliefList,
    Happening,
    Occasion,
    Tables,
    Task,
)

Batch: TypeAlias = Mapping[str, NDArray[Any]]
"""Column -> values of some rows; '' and NaN represent NULL."""
_ROWS = 50_000
"""Maximum number of rows in a batch, as rows of Python objects are large."""
_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_UNKNOWN = (float("nan"),) * len(_POSE)
_NUMBERS: Mapping[bool | None, float] = {True: 1.0, False: 0.0, None: float("nan")}
_TYPES: Mapping[str, Any] = {NUMBER: np.float64, WHOLE: np.int64, TRUTH: np.bool_}


def batches(view: str, tables: Tables, episode: str) -> Iterator[Batch]:
    """Iterate over the rows of a view.

    Args:
        view: one of `VIEWS`.
        tables: tables of the episode.
        episode: name of the episode, for the column ``episode``.
    """
    if view == "poses":
        for entity, poses in changed_poses(tables):
            yield _named(poses, episode, entity)
        return
    if view == "beliefs" and isinstance(tables.beliefs, BeliefList):
        yield {"episode": _same(episode, len(tables.beliefs)), **_belief_columns(tables.beliefs)}
        return
    rows = _ROWS_OF[view](tables)
    columns = VIEWS[view][1:]
    while some := list(islice(rows, _ROWS)):
        found = {
            column.name: _array(values, column)
            for column, values in zip(columns, zip(*some, strict=True), strict=True)
        }
        yield {"episode": _same(episode, len(some)), **found}


def _named(columns: Mapping[str, NDArray[Any]], episode: str, entity: str) -> Batch:
    count = len(columns["from"])
    return {"episode": _same(episode, count), "entity": _same(entity, count), **columns}


def _same(text: str, count: int) -> NDArray[Any]:
    found = np.empty(count, object)
    found[:] = text
    return found


def _array(values: Sequence[object], column: Column) -> NDArray[Any]:
    if column.type == TRUTH and column.optional:
        return np.array(values, np.float64)
    if column.type in _TYPES:
        return np.array(values, _TYPES[column.type])
    found = np.empty(len(values), object)
    found[:] = values
    return found


def _occasion(row: Occasion) -> tuple[object, ...]:
    return row.fluent, row.a, row.b, *_seconds(*row.span), row.row, row.ended


def _truths(tables: Tables) -> Iterator[tuple[object, ...]]:
    for truth in truths(tables):
        holds = _NUMBERS[truth.holds]
        yield truth.fluent, truth.a, truth.b, holds, *_seconds(*truth.span), truth.why


def _coverage(tables: Tables) -> Iterator[tuple[object, ...]]:
    for (claim, subject), stretches in tables.unseen.stretches.items():
        for one in stretches:
            span = _seconds(one.from_ns, min(one.to_ns, tables.known_until_ns))
            what = str(claim), subject, one.checked
            yield *what, *span, _json(one.sources), _json(one.of), one.why


def _event(row: Happening) -> tuple[object, ...]:
    return row.time_ns / 1e9, row.name, _json(row.arguments), row.row, row.source


def _task(row: Task) -> tuple[object, ...]:
    what = row.id, row.parent, row.operation, row.goal, str(row.status)
    more = _json(row.after), row.reason, _json(row.variables)
    return *what, *_seconds(*row.span), row.row, *more


def _belief(row: Belief) -> tuple[object, ...]:
    pose = _UNKNOWN if row.pose is None else row.pose[:7]
    what = row.fluent, row.a, row.b, row.holds
    return *what, *_seconds(*row.span), row.row, *pose, row.origin


def _belief_columns(beliefs: BeliefList) -> Batch:
    """Return the columns of all beliefs, equal to those of `_belief` for each row, without making the rows."""
    columns, rows, ends = beliefs.in_columns()
    kinds = columns.kinds[rows]
    said = {
        name: np.array([getattr(claim, name) for claim in columns.claims], object)
        for name in ("fluent", "a", "b", "origin")
    }
    return {
        **{name: texts[kinds] for name, texts in said.items()},
        "holds": np.array([claim.holds for claim in columns.claims], np.bool_)[kinds],
        "from": columns.times[rows] / 1e9,
        "to": ends[rows] / 1e9,
        "row": rows,
        **{name: columns.poses[rows, i] for i, name in enumerate(_POSE)},
    }


def _belief_error(row: BeliefError) -> tuple[object, ...]:
    what = row.fluent, row.a, row.b, *_seconds(*row.span), row.row
    return *what, row.distance, row.angle, *_seconds(row.believed_ns, row.moved_ns)


def _seconds(*times_ns: int) -> tuple[float, ...]:
    return tuple(time_ns / 1e9 for time_ns in times_ns)


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


_ROWS_OF: Mapping[str, Callable[[Tables], Iterator[tuple[object, ...]]]] = {
    "occasions": lambda tables: map(_occasion, tables.occasions),
    "truths": _truths,
    "coverage": _coverage,
    "events": lambda tables: map(_event, tables.events),
    "tasks": lambda tables: map(_task, tables.tasks),
    "beliefs": lambda tables: map(_belief, tables.beliefs),
    "belief_errors": lambda tables: map(_belief_error, tables.belief_errors),
    "episodes": lambda tables: iter(
        [(*_seconds(tables.start_ns, tables.known_until_ns), tables.finished)]
    ),
}
