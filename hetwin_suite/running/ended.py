"""How a run ended, for those who started it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.supervision.interrupts import SHELL_BASE

FAILED, BAD_INPUT = 1, 2


@dataclass(frozen=True, slots=True)
class Ended:
    """A run that is over.

    Attributes:
        summary: the content of ``summary.json``.
        code: exit code of a command that did nothing else.
        folder: where log and summary are.
        signal: the first of the signals that interrupted it; None if none did.
    """

    summary: Mapping[str, Any]
    code: int
    folder: Path
    signal: int | None = None


def exit_code(summary: Mapping[str, Any], interrupt: int | None) -> int:
    """128 and the number after a signal, 1 if the run or one of its models failed, even if it went on without it.

    Args:
        summary: the content of ``summary.json``.
        interrupt: number of the first of the signals that interrupted the run; None if none did.
    """
    if interrupt is not None:
        return SHELL_BASE + interrupt
    return FAILED if summary["ended"] == "failed" or summary["failures"] else 0
