"""Progress of long work, printed when nothing else was printed for some seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PERIOD_S = 3.0
"""Maximum silence [s]; users begin to wonder after about five seconds."""
POLL_PERIOD_S = 0.25


def to_stderr(text: str) -> None:
    """Write a line to stderr."""
    print(text, file=sys.stderr, flush=True)


class ProgressReminder:
    """Writes the current activity after each period of silence.

    Args:
        write: writes a line.
        period_s: maximum silence [s].
    """

    def __init__(self, write: Callable[[str], None], period_s: float = PERIOD_S) -> None:
        self._write = write
        self._period_s = period_s
        self._started = self._last = time.monotonic()

    def restart(self) -> None:
        """Restart the period of silence, because something else was written."""
        self._last = time.monotonic()

    def remind(self, doing: str) -> None:
        """Write the current activity and the elapsed time, if the period of silence is over.

        Args:
            doing: the activity, e.g. ``loading the world``.
        """
        now = time.monotonic()
        if now - self._last >= self._period_s:
            self._last = now
            self._write(f"{doing} ({now - self._started:.0f} s)")


@contextmanager
def never_silent(
    doing: Callable[[], str], write: Callable[[str], None] = to_stderr, period_s: float = PERIOD_S
) -> Iterator[ProgressReminder]:
    """Report progress from a thread during work that cannot call `remind` itself.

    Args:
        doing: returns the current activity, e.g. ``loading the world``.
        write: writes a line.
        period_s: maximum silence [s].
    """
    patience = ProgressReminder(write, period_s)
    over = threading.Event()

    def look() -> None:
        while not over.wait(min(POLL_PERIOD_S, period_s / 2)):
            patience.remind(doing())

    thread = threading.Thread(target=look, name="never silent", daemon=True)
    thread.start()
    try:
        yield patience
    finally:
        over.set()
        thread.join()
