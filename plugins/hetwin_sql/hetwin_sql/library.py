"""DuckDB, the library that runs SQL; imported only for that."""

from __future__ import annotations

import atexit
import gc
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hetwin_suite.command import library_of

NEEDED = "SQL needs the Python package DuckDB, which cannot be imported"
MEMORY = "2GB"
"""What a query may use; one that needs more ends with an error, for nothing is moved to the disk."""
_BYTES = 2 * 10**9


def duckdb() -> Any:
    """Import DuckDB.

    Raises:
        BadInput: if it is not installed.
    """
    library = library_of("tables", "duckdb", NEEDED)
    atexit.unregister(gc.freeze)  # at the end the library lists all objects that are then not freed
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
    """Let this process have no more than that meanwhile: DuckDB does not count the texts that its functions make."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    had = 1024 * int(Path("/proc/self/status").read_text().partition("VmData:")[2].split()[0])
    most = had + _BYTES
    if before[0] == resource.RLIM_INFINITY or most < before[0]:
        resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
