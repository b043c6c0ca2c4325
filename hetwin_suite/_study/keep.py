"""Which runs of a study are kept; without imports, as the help of commands has it."""

from __future__ import annotations

from enum import StrEnum


class Keep(StrEnum):
    """Which runs keep their folders; ``failed``: failed runs, and runs with an outcome that was not achieved."""

    FAILED = "failed"
    ALL = "all"
    NONE = "none"
