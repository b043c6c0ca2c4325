"""Writes the tables of an episode as Parquet files."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_sql.database import fill
from hetwin_sql.episode_folders import SUFFIX, EpisodeFolder
from hetwin_sql.errors import first_line
from hetwin_sql.library import duckdb, open_database
from hetwin_sql.views import VIEWS, create_statement
from hetwin_suite.command import BadInput, Result, table, unwritable
from hetwin_suite.tables import LOG

_FORMAT = "FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 12"


class WrittenFile(NamedTuple):
    """A written file.

    Attributes:
        view: view whose rows it holds.
        rows: number of rows.
        size: size of the file [bytes].
    """

    view: str
    rows: int
    size: int


def write_parquet(run: Path, out: Path) -> Result:
    """Write the tables of a run with `write_tables`, and return a summary."""
    written = write_tables(run, out)
    rows = {item.view: {"rows": item.rows, "bytes": item.size} for item in written}
    kib = [(item.view, str(item.rows), f"{item.size / 1024:.0f}") for item in written]
    return Result({"folder": str(out), "tables": rows}, table(("table", "rows", "KiB"), kib))


def write_tables(run: Path, out: Path) -> list[WrittenFile]:
    """Write a file for each view of a run; existing files are replaced after all were written.

    Args:
        run: folder of the run.
        out: folder of the files; created if missing.

    Raises:
        BadInput: if there is no run, DuckDB is not installed, or the folder cannot be written.
    """
    connection = open_database()
    if not (run / LOG).is_dir():
        raise BadInput(
            "there is no run in this folder", file=run, expected=f"one with {LOG}/ in it"
        )
    parts = {view: out / f".{view}{SUFFIX}.{os.getpid()}.tmp" for view in VIEWS}
    try:
        out.mkdir(parents=True, exist_ok=True)
        for view in VIEWS:
            connection.execute(create_statement(view))
        fill(connection, EpisodeFolder(run.resolve().name, run, stored=False), VIEWS)
        for view, part in parts.items():
            connection.execute(f"COPY {view} TO '{_quoted(part)}' ({_FORMAT})")
        written = [_count(connection, view, part) for view, part in parts.items()]
        for view, part in parts.items():
            part.replace(out / f"{view}{SUFFIX}")
    except OSError as error:
        raise unwritable("the tables", out, error) from error
    except duckdb().IOException as error:
        raise unwritable("the tables", out, OSError(first_line(error))) from error
    finally:
        connection.close()
        for part in parts.values():
            with suppress(OSError):
                part.unlink()
    return written


def _count(connection: Any, view: str, part: Path) -> WrittenFile:
    (rows,) = connection.execute(f"SELECT count(*) FROM {view}").fetchone()
    return WrittenFile(view, rows, part.stat().st_size)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
