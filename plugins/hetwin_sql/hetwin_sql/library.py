"""DuckDB, the library that runs SQL; imported only for that."""

from __future__ import annotations

import atexit
import gc
from typing import Any

from hetwin_suite.command import library_of

NEEDED = "SQL needs the Python package DuckDB, which cannot be imported"
MEMORY = "2GB"
"""What a query may use; one that needs more ends with an error, for nothing is moved to the disk."""


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
