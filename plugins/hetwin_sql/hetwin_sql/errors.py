"""Errors of SQL statements, with the location and the expected form."""

from __future__ import annotations

import re
from typing import Any

from hetwin_sql.library import MEMORY, duckdb
from hetwin_sql.views import VIEWS
from hetwin_suite.command import BadInput, HetwinError, one_of

_EXPECTED_STATEMENT = (
    "one statement that reads, e.g. SELECT name, count(*) FROM events GROUP BY name"
)
_SYNTAX = """DuckDB's SQL, in which the columns "from" and "to" need their double quotes"""
_HINT = re.compile(r'^Did you mean (".*")', re.MULTILINE)
_VIEW = re.compile(r"Table with name (\S+) does not exist")
_COLUMN = re.compile(
    r'Referenced column "([^"]+)" not found|does not have a column named "([^"]+)"'
)
_LINE_PREFIX = re.compile(r"^LINE (\d+): ", re.MULTILINE)


class QueryTooLarge(HetwinError):
    """A query exceeds its memory limit; the command's exit code is 1."""

    def __init__(self) -> None:
        super().__init__(
            f"the query needs more memory than {MEMORY}; expected a query that joins or sorts fewer rows"
        )


def parse_statement(connection: Any, sql: str) -> Any:
    """Parse a text of exactly one statement that only reads.

    Raises:
        BadInput: if the text is wrong, has no or several statements, or the statement writes.
    """
    try:
        statements = connection.extract_statements(sql)
    except duckdb().Error as error:
        raise convert_error(error, sql) from error
    if len(statements) != 1:
        raise BadInput(
            "not exactly one statement",
            where="SQL",
            found=len(statements),
            expected=_EXPECTED_STATEMENT,
        )
    kinds = duckdb().StatementType
    if statements[0].type not in (kinds.SELECT, kinds.EXPLAIN):
        raise BadInput(
            "the statement does more than read",
            where="SQL",
            found=statements[0].type.name,
            expected=_EXPECTED_STATEMENT,
        )
    return statements[0]


def convert_error(error: Exception, sql: str) -> HetwinError:
    """Convert an error of DuckDB into one of hetwin."""
    library, text = duckdb(), str(error)
    location = _location(text)
    if isinstance(error, library.OutOfMemoryException | MemoryError):
        return QueryTooLarge()
    if isinstance(error, library.PermissionException):
        return BadInput(
            "SQL may read only the views of the episodes, not files or other databases",
            where=location,
            expected=f"one of {', '.join(VIEWS)}",
        )
    if view := _VIEW.search(text):
        name = view[1].strip("\"'")
        return BadInput(
            "there is no such view", where=location, found=name, expected=one_of(name, VIEWS)
        )
    if column := _COLUMN.search(text):
        name = column[1] or column[2]
        columns = one_of(name, _columns(sql))
        return BadInput("there is no such column", where=location, found=name, expected=columns)
    hint = _HINT.search(text)
    expected = f"perhaps {hint[1]}" if hint else "a valid statement in DuckDB's SQL"
    if isinstance(error, library.ParserException):
        expected = _SYNTAX
    found = sql if location == "SQL" else None
    return BadInput(first_line(error), where=location, found=found, expected=expected)


def first_line(error: Exception) -> str:
    """Return the first line of DuckDB's message, without the kind of error and the location."""
    line = str(error).partition("\n")[0]
    return line.partition("Error: ")[2] or line


def _location(text: str) -> str:
    """Return the location of the error if DuckDB reports it."""
    found = _LINE_PREFIX.search(text)
    if found is None:
        return "SQL"
    line, _, caret_line = text[found.start() :].partition("\n")
    caret = caret_line.find("^")
    where = f"SQL, line {found[1]}"
    if caret < 0:
        return where
    return f"{where}, at {line[caret:].split(' ')[0]!r}" if line[caret:] else where


def _columns(sql: str) -> list[str]:
    """Return the columns of the views in a statement, without duplicates."""
    named = [view for view in VIEWS if re.search(rf"\b{view}\b", sql, re.IGNORECASE)]
    return list(dict.fromkeys(c.name for view in named or VIEWS for c in VIEWS[view]))
