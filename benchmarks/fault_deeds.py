"""Faults that a called function can cause, independent of the system."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable

HANG_S = 3600


def _raise() -> None:
    raise ValueError("the model broke")


def _hang() -> None:
    end = time.monotonic() + HANG_S
    while time.monotonic() < end:
        pass


class _TimeSpec(ctypes.Structure):
    """C's `struct timespec`."""

    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


def _hang_in_c() -> None:
    """Wait for a mutex that this thread holds itself, holding the GIL; a sleep would end with a signal."""
    c, mutex = ctypes.PyDLL(None), ctypes.create_string_buffer(64)
    c.pthread_mutex_lock(mutex)
    until = _TimeSpec(int(time.time()) + HANG_S, 0)
    c.pthread_mutex_timedlock(mutex, ctypes.byref(until))


DEEDS: dict[str, Callable[[], object]] = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segmentation fault": lambda: ctypes.string_at(0),
    "hangs in Python": _hang,
    "hangs in C": _hang_in_c,
    "raises": _raise,
    "exits": lambda: sys.exit(0),
}
"""Faults that are possible in any call."""
