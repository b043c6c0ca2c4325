"""Imports the libraries that read data sets, each only when it is needed."""

from __future__ import annotations

from typing import Any

from hetwin_suite.command import import_library


def reader(module: str, what: str) -> Any:
    """Import the library that reads a data set.

    Raises:
        BadInput: if it is not installed; the error names the extra to install.
    """
    name = module.partition(".")[0]
    needed = f"{what} needs the Python package {name}, which cannot be imported"
    return import_library("datasets", module, needed)
