"""`hetwin ask --sql`: SQL over the tables of episodes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import Any

from hetwin_sql.database import QueryResult, query
from hetwin_sql.deadline import QueryTimeout
from hetwin_suite.command import Result, plain, table

_MAX_PRINTED_ROWS = 1000
_MAX_BUFFER_BYTES = 2**24


def answer(episodes: Path, statement: str, within: float, *, as_json: bool) -> Result | None:
    """Query episodes by SQL; JSON is printed here row by row, since the rows may not fit into memory.

    Raises:
        BadInput: if there is no episode, or the statement is invalid or not a SELECT.
        QueryTimeout: if the query takes longer than `within` [s].
    """
    result = query(episodes, statement, within=within, on_stuck=_exit_process)
    if not as_json:
        return Result(None, _lines(result))
    _print_json(result)
    return None


def _exit_process(error: QueryTimeout) -> None:
    """Exit the process although the query is still running."""
    print(f"error: {error}", file=sys.stderr, flush=True)
    os._exit(error.exit_code)


def _print_json(result: QueryResult) -> None:
    """Print all rows, or nothing if the query fails."""
    with SpooledTemporaryFile(_MAX_BUFFER_BYTES, "w+", encoding="utf-8") as file:
        for i, row in enumerate(result.rows):
            file.write(f"{', ' if i else ''}{_json(row)}")
        file.seek(0)
        print(f'{{"columns": {json.dumps(result.columns)}, "rows": [', end="")
        for part in iter(lambda: file.read(2**20), ""):
            print(part, end="")
        print("]}")


def _lines(result: QueryResult) -> Iterator[str]:
    yield from table(
        result.columns, [tuple(map(_text, row)) for row in islice(result.rows, _MAX_PRINTED_ROWS)]
    )
    if next(result.rows, None) is not None:
        yield f"... only the first {_MAX_PRINTED_ROWS} rows; --json prints all"


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float | Decimal):
        return f"{value:.6g}"
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(plain(_as_floats(value)), ensure_ascii=False)


def _as_floats(value: Any) -> Any:
    """Return the value with decimals as floats, since 1.5 is a decimal in DuckDB's SQL."""
    if isinstance(value, list | tuple):
        return [_as_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
