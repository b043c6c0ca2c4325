"""Converts an episode's tables to columns of numpy arrays, which DuckDB reads faster than rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hetwin_sql.changed_poses import changed_poses
from hetwin_sql.truth_values import truths
from hetwin_sql.views import BOOLEAN, INTEGER, NUMBER, VIEWS, Column
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
_BATCH_SIZE = 50_000
"""Maximum number of rows in a batch, as rows of Python objects are large."""
_POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
_UNKNOWN = (float("nan"),) * len(_POSE)
_BOOLEAN_NUMBERS: Mapping[bool | None, float] = {True: 1.0, False: 0.0, None: float("nan")}
_TYPES: Mapping[str, Any] = {NUMBER: np.float64, INTEGER: np.int64, BOOLEAN: np.bool_}


def batches(view: str, tables: Tables, episode: str) -> Iterator[Batch]:
    """Iterate over the rows of a view.

    Args:
        view: one of `VIEWS`.
        tables: tables of the episode.
        episode: name of the episode, for the column ``episode``.
    """
    if view == "poses":
        for entity, poses in changed_poses(tables):
            yield _with_names(poses, episode, entity)
        return
    if view == "beliefs" and isinstance(tables.beliefs, BeliefList):
        yield {
            "episode": _repeated(episode, len(tables.beliefs)),
            **_belief_columns(tables.beliefs),
        }
        return
    rows = _ROW_ITERATORS[view](tables)
    columns = VIEWS[view][1:]
    while chunk := list(islice(rows, _BATCH_SIZE)):
        arrays = {
            column.name: _array(values, column)
            for column, values in zip(columns, zip(*chunk, strict=True), strict=True)
        }
        yield {"episode": _repeated(episode, len(chunk)), **arrays}


def _with_names(columns: Mapping[str, NDArray[Any]], episode: str, entity: str) -> Batch:
    count = len(columns["from"])
    return {"episode": _repeated(episode, count), "entity": _repeated(entity, count), **columns}


def _repeated(text: str, count: int) -> NDArray[Any]:
    arrays = np.empty(count, object)
    arrays[:] = text
    return arrays


def _array(values: Sequence[object], column: Column) -> NDArray[Any]:
    if column.type == BOOLEAN and column.optional:
        return np.array(values, np.float64)
    if column.type in _TYPES:
        return np.array(values, _TYPES[column.type])
    arrays = np.empty(len(values), object)
    arrays[:] = values
    return arrays


def _occasion(row: Occasion) -> tuple[object, ...]:
    return row.fluent, row.a, row.b, *_seconds(*row.span), row.row, row.ended


def _truths(tables: Tables) -> Iterator[tuple[object, ...]]:
    for truth in truths(tables):
        holds = _BOOLEAN_NUMBERS[truth.holds]
        yield truth.fluent, truth.a, truth.b, holds, *_seconds(*truth.span), truth.why


def _coverage(tables: Tables) -> Iterator[tuple[object, ...]]:
    for (claim, subject), stretches in tables.unseen.stretches.items():
        for stretch in stretches:
            span = _seconds(stretch.from_ns, min(stretch.to_ns, tables.known_until_ns))
            key_columns = str(claim), subject, stretch.checked
            yield *key_columns, *span, _json(stretch.sources), _json(stretch.of), stretch.why


def _event(row: Happening) -> tuple[object, ...]:
    return row.time_ns / 1e9, row.name, _json(row.arguments), row.row, row.source


def _task(row: Task) -> tuple[object, ...]:
    key_columns = row.id, row.parent, row.operation, row.goal, str(row.status)
    more = _json(row.after), row.reason, _json(row.variables)
    return *key_columns, *_seconds(*row.span), row.row, *more


def _belief(row: Belief) -> tuple[object, ...]:
    pose = _UNKNOWN if row.pose is None else row.pose[:7]
    key_columns = row.fluent, row.a, row.b, row.holds
    return *key_columns, *_seconds(*row.span), row.row, *pose, row.origin


def _belief_columns(beliefs: BeliefList) -> Batch:
    """Return the columns of all beliefs, equal to those made from `_belief`, without a Python object per row."""
    columns, rows, ends = beliefs.in_columns()
    kinds = columns.kinds[rows]
    texts = {
        name: np.array([getattr(claim, name) for claim in columns.claims], object)
        for name in ("fluent", "a", "b", "origin")
    }
    return {
        **{name: values[kinds] for name, values in texts.items()},
        "holds": np.array([claim.holds for claim in columns.claims], np.bool_)[kinds],
        "from": columns.times[rows] / 1e9,
        "to": ends[rows] / 1e9,
        "row": rows,
        **{name: columns.poses[rows, i] for i, name in enumerate(_POSE)},
    }


def _belief_error(row: BeliefError) -> tuple[object, ...]:
    key_columns = row.fluent, row.a, row.b, *_seconds(*row.span), row.row
    return *key_columns, row.distance, row.angle, *_seconds(row.believed_ns, row.moved_ns)


def _seconds(*times_ns: int) -> tuple[float, ...]:
    return tuple(time_ns / 1e9 for time_ns in times_ns)


def _json(value: object) -> str:
    return json.dumps(plain(value), ensure_ascii=False)


_ROW_ITERATORS: Mapping[str, Callable[[Tables], Iterator[tuple[object, ...]]]] = {
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
