"""Imports Rerun's SDK on demand."""

from __future__ import annotations

from typing import Any

from hetwin_suite.runs import import_library


def rerun() -> Any:
    """Import the SDK, including the module for layouts.

    Raises:
        BadInput: if it is not installed.
    """
    modules = ("rerun", "rerun.blueprint")
    return import_library("rerun", modules, "Rerun's SDK cannot be imported", "--out")
