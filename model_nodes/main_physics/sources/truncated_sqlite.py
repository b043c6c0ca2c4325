"""Reads SQLite files of recorders, including truncated ones, but none with computed tables."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import apsw
from rosbags.rosbag2.errors import ReaderError
from rosbags.rosbag2.storage_sqlite3 import Sqlite3Reader

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.limits import check_regular, max_bytes

_SQLITE_MAGIC = b"SQLite format 3\x00"
_DEFINITION_COLUMNS = 4
"""Number of columns that the library reads from the table of definitions: type, encoding, text and hash."""
_SQLITE_HEAD = 100
_TABLES = ("messages", "topics", "schema", "message_definitions", "metadata")
_GENERATED = (2, 3)
"""SQLite's values for generated columns."""
_WAL_SUFFIX = "-wal"


class TruncatedSqliteReader(Sqlite3Reader):
    """An SQLite file; if it was truncated or not closed, all rows that can be read.

    Such rows are copied to a temporary file, so that nothing is written into the recording's folder.

    Attributes:
        lost: share of the bytes that are known to be missing; None: the file is complete.
    """

    lost: float | None = None

    def __init__(self, path: Any) -> None:
        super().__init__(path)
        self._copied: TemporaryDirectory[str] | None = None

    def open(self) -> None:
        """Open the file, or a copy of its readable part."""
        with _restricted_connections():
            self._open_rows()
        if self.dbconn is not None:
            self.dbconn.row_trace = None

    def _open_rows(self) -> None:
        path = Path(str(self.path))
        check_regular(path)
        missing = _missing_share(path)
        write_ahead = path.with_name(path.name + _WAL_SUFFIX)
        if not missing and not (write_ahead.is_file() and write_ahead.stat().st_size):
            super().open()
            return
        self._copied = TemporaryDirectory()
        try:
            self.path = Path(self._copied.name, path.name)
            if missing:
                _copy_rows(path, self.path)
                self.lost = missing
            else:
                _copy_closed(path, write_ahead, self.path)
            super().open()
        except BaseException:
            self._copied.cleanup()
            raise

    def close(self) -> None:
        """Close the file, and remove the copy."""
        with suppress(Exception):
            super().close()
        if self._copied is not None:
            self._copied.cleanup()


@contextmanager
def _restricted_connections() -> Iterator[None]:
    """Restrict new connections to plain tables, with rows within the size limits.

    A file may define tables that compute rows without end. Definitions that a recorder left empty get the encoding of
    messages, since the library does not accept an empty one.
    """

    def fill_encoding(_: apsw.Cursor, row: tuple[Any, ...]) -> tuple[Any, ...]:
        is_empty = len(row) == _DEFINITION_COLUMNS and row[1] == "" and not row[2]
        return (row[0], "ros2msg", *row[2:]) if is_empty else row

    def hook(connection: apsw.Connection) -> None:
        with suppress(apsw.Error):  # the file is damaged, so reading it fails as well
            _reject_computed_tables(connection)
        connection.row_trace = fill_encoding

    apsw.connection_hooks.append(hook)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(hook)


def _reject_computed_tables(connection: apsw.Connection) -> None:
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, min(max_bytes(), 2**31 - 1))
    connection.execute("PRAGMA trusted_schema=OFF")
    computed = (
        "SELECT name FROM pragma_table_list WHERE schema='main' AND type IN ('view', 'virtual')"
    )
    found = [str(name) for (name,) in connection.execute(computed)]
    found += [
        str(table)
        for table in _TABLES
        for row in connection.execute(f"PRAGMA table_xinfo({table})")
        if row[6] in _GENERATED
    ]
    if found:
        raise ReaderError(f"the file computes {found[0]}; expected a table that holds its rows")


def _missing_share(path: Path) -> float:
    """Return the share of a file's pages that are missing according to its header.

    Raises:
        BadInput: if it is not an SQLite file.
    """
    with path.open("rb") as stream:
        head = stream.read(_SQLITE_HEAD)
    if len(head) < _SQLITE_HEAD or not head.startswith(_SQLITE_MAGIC):
        raise BadInput("this is not an SQLite file", file=path, expected="an SQLite 3 recording")
    changes, pages = struct.unpack_from(">II", head, 24)
    (valid_for,) = struct.unpack_from(">I", head, 92)
    expected_size = pages * _page_size(path)
    size = path.stat().st_size
    return 1.0 - size / expected_size if changes == valid_for and size < expected_size else 0.0


def _page_size(path: Path) -> int:
    with path.open("rb") as stream:
        (page,) = struct.unpack_from(">H", stream.read(_SQLITE_HEAD), 16)
    return 65536 if page == 1 else max(int(page), 512)


def _copy_closed(path: Path, write_ahead: Path, copy: Path) -> None:
    """Copy a file and its write-ahead log, and merge them."""
    shutil.copyfile(path, copy)
    shutil.copyfile(write_ahead, copy.with_name(copy.name + _WAL_SUFFIX))
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _copy_rows(path: Path, copy: Path) -> None:
    """Copy all readable rows from the complete pages of a truncated file.

    Raises:
        ReaderError: if not even the topics can be read.
    """
    intact_pages = copy.with_suffix(".part")
    page = _page_size(path)
    with path.open("rb") as source, intact_pages.open("wb") as target:
        shutil.copyfileobj(source, target)
        target.truncate(path.stat().st_size // page * page)
    damaged = apsw.Connection(str(intact_pages), flags=apsw.SQLITE_OPEN_READONLY)
    with closing(damaged), closing(sqlite3.connect(copy)) as target_db:
        try:
            damaged.execute("PRAGMA writable_schema=ON")  # lets files be shorter than declared
            _reject_computed_tables(damaged)
            _copy_tables(damaged, target_db)
        except (apsw.Error, sqlite3.Error, ValueError) as error:
            raise ReaderError(f"not one message of the file can be read: {error}") from error
        target_db.commit()
    intact_pages.unlink()


def _copy_tables(damaged: apsw.Connection, target: sqlite3.Connection) -> None:
    """Copy the tables, the small ones first; a table ends at the first row that cannot be read."""
    tables = damaged.execute("SELECT name, sql FROM sqlite_master WHERE type='table'").fetchall()
    for name, text in sorted(tables, key=lambda table: table[0] == "messages"):
        if name in _TABLES and str(text).upper().startswith("CREATE TABLE"):
            target.execute(str(text))
            with suppress(apsw.Error):
                for row in damaged.execute(f'SELECT * FROM "{name}" ORDER BY rowid'):
                    placeholders = ",".join("?" * len(row))
                    target.execute(f'INSERT OR IGNORE INTO "{name}" VALUES ({placeholders})', row)
