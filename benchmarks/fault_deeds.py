"""What a program can do to whoever called it, whatever the system."""

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


DEEDS: dict[str, Callable[[], object]] = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segmentation fault": lambda: ctypes.string_at(0),
    "hangs in Python": _hang,
    "hangs in C": lambda: ctypes.PyDLL(None).sleep(HANG_S),  # with Python's lock held
    "raises": _raise,
    "exits": lambda: sys.exit(0),
}
"""What can be done in any call."""
