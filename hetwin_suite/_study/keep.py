"""Which runs of a study are kept."""

from __future__ import annotations

from enum import StrEnum


class Keep(StrEnum):
    """Which runs are kept in their folders; those that failed are those that failed or lack an outcome."""

    FAILED = "failed"
    ALL = "all"
    NONE = "none"
