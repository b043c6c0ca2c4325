"""SIGINT, SIGTERM and SIGHUP: they end a process at once before its work begins, and in an orderly way afterwards.

A process that may be interrupted at any moment calls `end_at_once` before its heavy imports, and enters
`Interrupts` when it has work that must end in an orderly way. In between, `block_signals` delays signals while
something is made that must not be interrupted. This module imports little, so that it can be imported first.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any, Self

TERMINATING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end a command."""
STDERR = 2
SHELL_BASE = 128
"""The exit code of a command that a signal ends is this plus the signal's number."""


_former_handlers: dict[signal.Signals, Any] = {}
"""Handlers that `end_at_once` has replaced."""


class Interrupted(KeyboardInterrupt):
    """A signal ended work at once, or before it had started.

    Attributes:
        number: number of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(f"interrupted by {signal.Signals(number).name}")

    @property
    def code(self) -> int:
        """The exit code of a command: 129 for SIGHUP, 130 for SIGINT, 143 for SIGTERM."""
        return SHELL_BASE + self.number


def _set_handlers(handler_function: Callable[[int, Any], None]) -> dict[signal.Signals, Any]:
    """Set the handler of the signals; return the former handlers. A SIGHUP ignored by `nohup` stays ignored."""
    handled = [
        s for s in TERMINATING if s != signal.SIGHUP or signal.getsignal(s) != signal.SIG_IGN
    ]
    return {number: signal.signal(number, handler_function) for number in handled}


def end_at_once() -> None:
    """Make the signals end the process from now on, with code 129, 130 or 143 and without a traceback.

    A KeyboardInterrupt is not sufficient: imports convert it into other errors, or swallow it.
    """
    _former_handlers.update(_set_handlers(_end))
    unblock_signals()


def _end(number: int, _frame: object) -> None:
    """Print the reason and end the process, without Python's streams, which may be in use."""
    interrupt = Interrupted(number)
    os.write(STDERR, f"{interrupt}\n".encode())
    os._exit(interrupt.code)


def restore_handlers() -> None:
    """Restore the handlers from before `end_at_once`; nothing happens if it was not called."""
    while _former_handlers:
        signal.signal(*_former_handlers.popitem())


def block_signals() -> None:
    """Delay the signals from now on, also in threads and processes that this thread starts."""
    signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATING)


def unblock_signals() -> None:
    """Stop delaying the signals; delayed ones arrive now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TERMINATING)


def ignore() -> None:
    """Ignore the signals from now on, in a process that is ending already."""
    for number in TERMINATING:
        signal.signal(number, signal.SIG_IGN)


def _do_nothing(_count: int, _number: int) -> None:
    """Leave the count to be read later."""


class Interrupts:
    """Counts the signals in this context, in place of their former handlers.

    Signals that `block_signals` has delayed arrive on entry. Python lets only the main thread set handlers; in any
    other thread nothing changes and nothing is counted.

    Args:
        on_signal: called in the handler with the count so far, 1 at the first signal, and the number of the signal.
        apart_s: minimum time after the previous signal for a signal to be counted [s]: a terminal and the parent
            process may both send the same one.

    Attributes:
        count: number of signals.
        first: number of the first signal; None without one.
        since: time of the first signal, by `time.monotonic` [s].
    """

    def __init__(
        self, on_signal: Callable[[int, int], None] = _do_nothing, apart_s: float = 0.0
    ) -> None:
        self._on_signal = on_signal
        self._apart_s = apart_s
        self._former_handlers: dict[signal.Signals, Any] = {}
        self._mask: set[int] = set()
        self._last = -float("inf")
        self.count = 0
        self.first: int | None = None
        self.since = 0.0

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._mask = {int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, ())}
            self._former_handlers = _set_handlers(self._count)
            unblock_signals()
        return self

    def __exit__(self, *_: object) -> None:
        if self._former_handlers:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for number, handler in self._former_handlers.items():
            signal.signal(number, handler)

    @property
    def code(self) -> int:
        """Exit code of a command that the first signal has ended: 129, 130 or 143; 0 without a signal."""
        return 0 if self.first is None else SHELL_BASE + self.first

    def raise_if_any(self) -> None:
        """Check that no signal has arrived.

        Raises:
            Interrupted: if one has.
        """
        if self.first is not None:
            raise Interrupted(self.first)

    def _count(self, number: int, _frame: object) -> None:
        previous, self._last = self._last, time.monotonic()
        if self._last - previous < self._apart_s:
            return
        if self.first is None:
            self.first, self.since = number, self._last
        self.count += 1
        self._on_signal(self.count, number)
