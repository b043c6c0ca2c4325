"""Read-only SQL over the views of some episodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_sql.columns import batches
from hetwin_sql.deadline import Deadline, QueryTimeout
from hetwin_sql.episode_folders import SUFFIX, EpisodeFolder, find_episodes
from hetwin_sql.errors import convert_error, first_line, parse_statement
from hetwin_sql.library import duckdb, memory_limit, open_database
from hetwin_sql.views import VIEWS, create_statement, insert_statement
from hetwin_suite.command import BadInput
from hetwin_suite.tables import open_tables

DEFAULT_WITHIN_S = 60.0
_READ_ONLY_STATEMENTS = (
    *("SET enable_external_access=false", "SET lock_configuration=true"),
    "BEGIN TRANSACTION READ ONLY",
)
_COMPUTED_TABLE = re.compile(r"\bquery(_table)?\s*\(", re.IGNORECASE)
"""Functions that compute the name of a table, so that the views that a statement reads cannot be found in its text."""
_FETCH_SIZE = 10_000


@dataclass(frozen=True)
class QueryResult:
    """The result of a query, read on demand.

    Attributes:
        columns: names of the columns.
        rows: rows as DuckDB returns them in Python; reading takes the query's time, and raises the same errors.
    """

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


def query(
    folder: Path,
    sql: str,
    *,
    within: float = DEFAULT_WITHIN_S,
    on_stuck: Callable[[QueryTimeout], object] | None = None,
) -> QueryResult:
    """Query the episodes in a folder by SQL; only the views that the statement names are loaded.

    Args:
        folder: folder of a run, of Parquet files, or of many such folders.
        sql: one statement that reads the views.
        within: maximum duration of the query [s], above 0; loading the episodes does not count.
        on_stuck: called when a query cannot be interrupted.

    Raises:
        BadInput: if there is no episode, or the SQL is invalid, writes, or reads anything except the views.
        QueryTimeout: if the query takes longer.
    """
    if not within > 0:
        raise BadInput(
            "the time limit of a query is not positive",
            where="--within",
            found=within,
            expected="more than 0 s",
        )
    episodes = find_episodes(folder)
    connection = open_database()
    try:
        checked = parse_statement(connection, sql)
        for view in VIEWS:
            connection.execute(create_statement(view))
        for episode in episodes:
            fill(connection, episode, _named_views(sql))
        for setting in _READ_ONLY_STATEMENTS:
            connection.execute(setting)
        rows = _execute(connection, checked, sql, Deadline(within, connection.interrupt, on_stuck))
        columns: tuple[str, ...] = next(rows)
    except BaseException:
        connection.close()
        raise
    return QueryResult(columns, rows)


def fill(connection: Any, episode: EpisodeFolder, views: Iterable[str]) -> None:
    """Insert the rows of an episode into the tables behind views.

    Raises:
        BadInput: if the episode cannot be read.
    """
    if episode.stored:
        for view in views:
            _insert_parquet(connection, view, episode)
        return
    tables = open_tables(episode.folder)
    for view in views:
        for batch in batches(view, tables, episode.name):
            connection.register("batch", batch)
            connection.execute(insert_statement(view, "batch"))
            connection.unregister("batch")


def _named_views(sql: str) -> list[str]:
    """Return the views that a statement may read."""
    if _COMPUTED_TABLE.search(sql):
        return list(VIEWS)
    return [view for view in VIEWS if re.search(rf"\b{view}\b", sql, re.IGNORECASE)]


def _insert_parquet(connection: Any, view: str, episode: EpisodeFolder) -> None:
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
            expected="a file written by `hetwin show --out FOLDER` of this version",
        ) from error


def _execute(connection: Any, checked: Any, sql: str, deadline: Deadline) -> Iterator[Any]:
    """Execute the query; yield the names of the columns as one item, and then the rows."""
    with closing(connection), deadline, memory_limit():
        try:
            connection.execute(checked)
            yield tuple(column[0] for column in connection.description)
            while rows := connection.fetchmany(_FETCH_SIZE):
                yield from rows
        except (duckdb().Error, MemoryError) as error:
            if deadline.has_passed:
                raise deadline.error from None
            raise convert_error(error, sql) from error
