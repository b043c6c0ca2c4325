"""Keeps this process's handling of SIGINT and SIGTERM while Gazebo's server is made.

The server replaces both handlers by its own, which end it without a word to the process around it: the run would fail
instead of stopping.
"""

from __future__ import annotations

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.supervision.interrupts import TERMINATING

SIGACTION_BYTES = 256
"""More than C's `struct sigaction` takes on any platform."""


@contextmanager
def handlers_kept() -> Iterator[None]:
    """Set the handlers again at the end; a signal that arrives meanwhile is handled then.

    It works in any thread, where `signal.signal` may be called in the main thread only. Threads that Gazebo starts
    inherit the mask, so that signals never interrupt them.
    """
    c = ctypes.CDLL(None)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATING)
    before = {number: ctypes.create_string_buffer(SIGACTION_BYTES) for number in TERMINATING}
    try:
        for number, action in before.items():
            c.sigaction(int(number), None, action)
        yield
    finally:
        for number, action in before.items():
            c.sigaction(int(number), action, None)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
