"""Read-only SQL over the views of some episodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_sql.columns import batches
from hetwin_sql.deadline import Deadline, TooSlow
from hetwin_sql.found import SUFFIX, Found, episodes
from hetwin_sql.library import connected, duckdb, in_memory
from hetwin_sql.refusals import first_line, refused, statement
from hetwin_sql.views import VIEWS, filled, made
from hetwin_suite.command import BadInput
from hetwin_suite.tables import open_tables

WITHIN_S = 60.0
_LOCKS = (
    *("SET enable_external_access=false", "SET lock_configuration=true"),
    "BEGIN TRANSACTION READ ONLY",
)
_ANY_TABLE = re.compile(r"\bquery(_table)?\s*\(", re.IGNORECASE)
"""Functions that compute the name of a table, which hide the views that a statement reads."""
_BATCH = 10_000


@dataclass(frozen=True)
class Result:
    """The result of a query, read on demand.

    Attributes:
        columns: names of the columns.
        rows: rows as DuckDB returns them in Python; reading them may take the query's time, and raise as `query` does.
    """

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


def query(
    folder: Path,
    sql: str,
    *,
    within: float = WITHIN_S,
    stuck: Callable[[TooSlow], object] | None = None,
) -> Result:
    """Query the episodes in a folder by SQL; only the views that the statement names are loaded.

    Args:
        folder: folder of a run, of Parquet files, or of many such folders.
        sql: one statement that reads the views.
        within: maximum duration of the query [s], above 0; loading the episodes does not count.
        stuck: called when a query cannot be interrupted.

    Raises:
        BadInput: if there is no episode, or the SQL is wrong, writes, or reads anything but the views.
        TooSlow: if the query takes longer.
    """
    if not within > 0:
        raise BadInput(
            "a query needs time", where="--within", found=within, expected="more than 0 s"
        )
    found = episodes(folder)
    connection = connected()
    try:
        checked = statement(connection, sql)
        for view in VIEWS:
            connection.execute(made(view))
        for episode in found:
            fill(connection, episode, _named(sql))
        for lock in _LOCKS:
            connection.execute(lock)
        rows = _asked(connection, checked, sql, Deadline(within, connection.interrupt, stuck))
        columns: tuple[str, ...] = next(rows)
    except BaseException:
        connection.close()
        raise
    return Result(columns, rows)


def fill(connection: Any, episode: Found, views: Iterable[str]) -> None:
    """Insert the rows of an episode into the tables behind views.

    Raises:
        BadInput: if the episode cannot be read.
    """
    if episode.stored:
        for view in views:
            _add_stored(connection, view, episode)
        return
    tables = open_tables(episode.folder)
    for view in views:
        for batch in batches(view, tables, episode.name):
            connection.register("batch", batch)
            connection.execute(filled(view, "batch"))
            connection.unregister("batch")


def _named(sql: str) -> list[str]:
    """Return the views that a statement may read."""
    if _ANY_TABLE.search(sql):
        return list(VIEWS)
    return [view for view in VIEWS if re.search(rf"\b{view}\b", sql, re.IGNORECASE)]


def _add_stored(connection: Any, view: str, episode: Found) -> None:
    path = episode.folder / f"{view}{SUFFIX}"
    names = ", ".join(column.quoted for column in VIEWS[view][1:])
    try:
        connection.execute(
            f"INSERT INTO {view} SELECT ?, {names} FROM read_parquet(?)", [episode.name, str(path)]
        )
    except duckdb().Error as error:
        raise BadInput(
            f"the table cannot be read: {first_line(error)}",
            file=path,
            expected="a file that `hetwin show --out FOLDER` of this version has written",
        ) from error


def _asked(connection: Any, checked: Any, sql: str, deadline: Deadline) -> Iterator[Any]:
    """Execute the query; yield the names of the columns as one item, and then the rows."""
    with closing(connection), deadline, in_memory():
        try:
            connection.execute(checked)
            yield tuple(column[0] for column in connection.description)
            while rows := connection.fetchmany(_BATCH):
                yield from rows
        except (duckdb().Error, MemoryError) as error:
            if deadline.reached:
                raise deadline.error from None
            raise refused(error, sql) from error
