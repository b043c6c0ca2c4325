"""Imports DuckDB, the engine that runs SQL, on demand."""

from __future__ import annotations

import atexit
import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hetwin_suite.command import import_library

_MISSING = "SQL needs the Python package DuckDB, which cannot be imported"
MEMORY = "2GB"
"""Memory limit of a query; a query that needs more fails, since nothing is spilled to disk."""
_MAX_BYTES = 2 * 10**9


def duckdb() -> Any:
    """Import DuckDB.

    Raises:
        BadInput: if it is not installed.
    """
    library = import_library("tables", "duckdb", _MISSING)
    atexit.unregister(gc.freeze)  # with a frozen heap, DuckDB reports leaks at exit
    return library


def open_database() -> Any:
    """Open an empty database in memory.

    Raises:
        BadInput: if DuckDB is not installed.
    """
    settings = {"memory_limit": MEMORY, "temp_directory": "", "python_enable_replacements": "false"}
    return duckdb().connect(":memory:", config=settings)


@contextmanager
def memory_limit() -> Iterator[None]:
    """Limit the memory of this process in the body: DuckDB does not count the strings that its functions make."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    used = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
    limit = used + _MAX_BYTES
    if before[0] == resource.RLIM_INFINITY or limit < before[0]:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
