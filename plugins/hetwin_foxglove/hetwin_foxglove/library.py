"""Imports Foxglove's SDK when it is needed."""

from __future__ import annotations

from typing import Any

from hetwin_suite.runs import import_library

MODULES = ("foxglove", "foxglove.channels", "foxglove.messages", "foxglove.websocket")


def foxglove() -> Any:
    """Import the SDK, with its channels, messages and server.

    Raises:
        BadInput: if it is not installed.
    """
    return import_library("foxglove", MODULES, "Foxglove's SDK cannot be imported", "--foxglove")
