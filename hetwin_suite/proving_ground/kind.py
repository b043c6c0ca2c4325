"""Kinds of episodes, apart from what records them, which takes its time to import."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What is recorded."""

    DROP = "drop"
    INSERTION = "insertion"
