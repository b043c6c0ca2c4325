"""Which runs of a study are kept."""

from __future__ import annotations

from enum import StrEnum


class Keep(StrEnum):
    """Which runs keep their folders; ``failed``: those that failed, and those that lack an outcome."""

    FAILED = "failed"
    ALL = "all"
    NONE = "none"
