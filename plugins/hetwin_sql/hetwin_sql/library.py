"""Imports DuckDB, which runs SQL, when it is needed."""

from __future__ import annotations

import atexit
import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hetwin_suite.command import import_library

NEEDED = "SQL needs the Python package DuckDB, which cannot be imported"
MEMORY = "2GB"
"""Memory limit of a query; nothing is spilled to disk, so that a query that needs more ends with an error."""
_BYTES = 2 * 10**9


def duckdb() -> Any:
    """Import DuckDB.

    Raises:
        BadInput: if it is not installed.
    """
    library = import_library("tables", "duckdb", NEEDED)
    atexit.unregister(gc.freeze)  # with a frozen heap, DuckDB reports leaks at exit
    return library


def connected() -> Any:
    """Open an empty database in memory.

    Raises:
        BadInput: if DuckDB is not installed.
    """
    settings = {"memory_limit": MEMORY, "temp_directory": "", "python_enable_replacements": "false"}
    return duckdb().connect(":memory:", config=settings)


@contextmanager
def in_memory() -> Iterator[None]:
    """Limit the memory of this process meanwhile, as DuckDB does not count the strings that its functions make."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    had = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
    most = had + _BYTES
    if before[0] == resource.RLIM_INFINITY or most < before[0]:
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
