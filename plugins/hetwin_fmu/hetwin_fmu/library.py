"""FMPy, the library that loads FMUs; imported only if a scenario has one."""

from __future__ import annotations

from typing import Any

from hetwin_suite.model import import_library

NEEDED = "FMUs need the Python package FMPy, which cannot be imported"


def fmpy(module: str = "") -> Any:
    """Import FMPy, or one of its modules.

    Raises:
        BadInput: if it is not installed.
    """
    return import_library("fmi", f"fmpy.{module}" if module else "fmpy", NEEDED)
