"""What a process that was forked from this one does first: it lets go of terminal, output and handlers."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from hetwin_core.ensemble.supervision.interrupts import TERMINATING, let_through

STDOUT, STDERR = 1, 2
PR_SET_PDEATHSIG = 1
_PRCTL = ctypes.CDLL(None).prctl


@contextmanager
def parting() -> Iterator[None]:
    """Block SIGINT, SIGTERM and SIGHUP while a process is forked, until it has called `detach`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINATING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def detach(stacks: int, at_parents_end: signal.Signals) -> None:
    """Leave the parent's terminal, output and handlers, in the forked process.

    Args:
        stacks: file descriptor to which SIGUSR1 writes the stacks of all threads.
        at_parents_end: the signal that this process gets when the thread that forked it ends.
    """
    os.setsid()
    for number in TERMINATING:
        signal.signal(number, signal.SIG_DFL)
    let_through()
    _PRCTL(PR_SET_PDEATHSIG, at_parents_end)
    os.dup2(STDERR, STDOUT)
    sys.stdout = sys.stderr = os.fdopen(STDERR, "w", buffering=1, closefd=False)
    faulthandler.register(signal.SIGUSR1, stacks, all_threads=True)


def end_with_parent() -> None:
    """End this process at once when the thread that started it ends, and leave SIGINT to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _PRCTL(PR_SET_PDEATHSIG, signal.SIGKILL)
