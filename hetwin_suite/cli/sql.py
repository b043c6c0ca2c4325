"""`hetwin sql` and `hetwin tables`: the tables of episodes for SQL, and as Parquet files."""

from __future__ import annotations

import json
import os
import sys
from decimal import Decimal
from itertools import islice
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_core.ensemble.plain_json import plain
from hetwin_suite.cli.options import AsJson

if TYPE_CHECKING:
    from hetwin_core.episodes.sql.database import Result
    from hetwin_core.episodes.sql.deadline import TooSlow

_EXIT_FAILED = 1
_SHOWN = 1000
_IN_MEMORY = 2**24
_WITHIN_S = 60.0


def sql(
    episodes: Annotated[
        Path, typer.Argument(help="folder of a run, of `hetwin tables`' files, or of many such")
    ],
    statement: Annotated[str, typer.Argument(metavar="SQL", help="one statement that reads")],
    within: Annotated[
        float, typer.Option("--within", metavar="S", min=0.0, help="seconds that it may take")
    ] = _WITHIN_S,
    as_json: AsJson = False,
) -> None:
    """Ask episodes by SQL (DuckDB's) over the views occasions, events, tasks, beliefs, belief_errors, poses, episodes.

    `DESCRIBE events` shows the columns of a view; times are seconds. Every row names its episode.

    Example: hetwin sql runs/today 'SELECT name, count(*) FROM events GROUP BY name'
    """
    from hetwin_core.episodes.sql.database import query

    result = query(episodes, statement, within=within, stuck=_end)
    if as_json:
        _print_json(result)
    else:
        _show(result)


def tables(
    episode: Annotated[Path, typer.Argument(help="folder of a run")],
    out: Annotated[Path, typer.Option("--out", help="folder of the files")],
    as_json: AsJson = False,
) -> None:
    """Write the tables of an episode as Parquet files, one for each view of `hetwin sql`.

    Example: hetwin tables runs/today --out runs/today/parquet
    """
    from hetwin_core.episodes.sql.parquet import write_tables
    from hetwin_suite.cli.tables import show_table

    written = write_tables(episode, out)
    if as_json:
        rows = {item.view: {"rows": item.rows, "bytes": item.size} for item in written}
        print(json.dumps({"folder": str(out), "tables": rows}))
    else:
        kib = [(item.view, str(item.rows), f"{item.size / 1024:.0f}") for item in written]
        show_table(("table", "rows", "KiB"), kib)


def _end(error: TooSlow) -> None:
    """End the command while the query cannot be ended."""
    print(f"error: {error}", file=sys.stderr, flush=True)
    os._exit(_EXIT_FAILED)


def _print_json(result: Result) -> None:
    """Print all rows, or nothing if there are not all."""
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8") as file:
        for i, row in enumerate(result.rows):
            file.write(f"{', ' if i else ''}{_json(row)}")
        file.seek(0)
        print(f'{{"columns": {json.dumps(result.columns)}, "rows": [', end="")
        for part in iter(lambda: file.read(2**20), ""):
            print(part, end="")
        print("]}")


def _show(result: Result) -> None:
    from hetwin_suite.cli.tables import show_table

    rows = [tuple(map(_text, row)) for row in islice(result.rows, _SHOWN)]
    show_table(result.columns, rows)
    if next(result.rows, None) is not None:
        print(f"... and more than these {_SHOWN} rows; --json prints all")


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float | Decimal):
        return f"{value:.6g}"
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(plain(_as_floats(value)), ensure_ascii=False)


def _as_floats(value: Any) -> Any:
    """The same without decimal numbers, as 1.5 is in DuckDB's SQL."""
    if isinstance(value, list | tuple):
        return [_as_floats(item) for item in value]
    return float(value) if isinstance(value, Decimal) else value
