"""FMPy, the library that loads units; imported only if a scenario has one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from hetwin_core.ensemble.errors import BadInput

EXTRA = 'pip install "hetwin-suite[fmi]"'


def fmpy(module: str = "") -> Any:
    """Import FMPy, or one of its modules.

    Raises:
        BadInput: if it is not installed.
    """
    try:
        return import_module(f"fmpy.{module}" if module else "fmpy")
    except ImportError as error:
        raise BadInput(
            f"FMUs need the Python package FMPy, which cannot be imported: {error}", expected=EXTRA
        ) from error
