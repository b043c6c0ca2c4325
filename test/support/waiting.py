"""Waiting for a state, with a deadline whose failure names what was missing."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path

PATIENCE_S = 120.0
"""Far more than any state takes to come about on a busy machine; only a test that fails waits as long."""
_PERIOD_S = 0.02
_AFTER_THE_END_S = 1.0
"""What a process has sent before its end may still be on its way."""


STEPS_LOGGED = 12_000
"""Bytes that the log of a toy's run has once a few hundred steps are in it; before the first it has half as many."""


def is_under_way(run: Path) -> bool:
    """Whether the log of a run, in its folder, has many steps."""
    log = run / "log" / "log.mcap"
    return log.exists() and log.stat().st_size > STEPS_LOGGED


def wait_until(
    holds: Callable[[], object],
    what: str | Callable[[], object],
    timeout_s: float = PATIENCE_S,
    *,
    process: subprocess.Popen[str] | subprocess.Popen[bytes] | None = None,
    period_s: float = _PERIOD_S,
) -> None:
    """Wait until something holds.

    Args:
        holds: looks, and may let things go on meanwhile.
        what: is waited for, or a function that says what is there instead.
        timeout_s: how long to wait.
        process: of the run that is waited for; when it ends, nothing more will come.
        period_s: between two looks.

    Raises:
        AssertionError: naming what was missing, if it does not hold in time or the process ends before.
    """
    end = time.monotonic() + timeout_s
    ended = False
    while not holds():
        if process is not None and not ended and process.poll() is not None:
            ended, end = True, time.monotonic() + _AFTER_THE_END_S
        if time.monotonic() > end:
            if process is not None and ended:
                raise AssertionError(f"the process ended before: {_text(what)}; {_said(process)}")
            raise AssertionError(f"not within {timeout_s:g} s: {_text(what)}")
        time.sleep(period_s)


def wait_for_all(
    wanted: Iterable[str],
    found: Callable[[], Iterable[str]],
    what: str,
    timeout_s: float = PATIENCE_S,
) -> None:
    """Wait until all that is wanted has been found.

    Raises:
        AssertionError: naming those that are missing and those that are there.
    """
    expected = set(wanted)

    def missing() -> str:
        there = set(found())
        return f"{what} {sorted(expected - there)}; found: {sorted(there)}"

    wait_until(lambda: expected <= set(found()), missing, timeout_s)


def _text(what: str | Callable[[], object]) -> object:
    return what if isinstance(what, str) else what()


def _said(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> str:
    """How a process ended, and what it has written as far as it can be read."""
    piped = process.stdout is not None or process.stderr is not None
    written = (part for part in (process.communicate() if piped else ()) if part)
    return ": ".join([f"exit code {process.returncode}", *map(str, written)])
