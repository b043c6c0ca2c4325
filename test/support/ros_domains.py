"""ROS_DOMAIN_IDs for tests: one each."""

from __future__ import annotations

import fcntl
import itertools
import os
import tempfile
from pathlib import Path
from typing import TextIO

DOMAINS = range(1, 102)
"""What the default ports allow, without 0, where everything else on the machine may be."""

_locks: list[TextIO] = []
_start = itertools.count(os.getpid())


def new_domain() -> int:
    """A domain that no other test on this machine uses as long as this process lives.

    Raises:
        RuntimeError: if all are in use.
    """
    for _ in DOMAINS:
        domain = DOMAINS[next(_start) % len(DOMAINS)]
        lock = Path(tempfile.gettempdir(), f"hetwin_test_domain_{domain}.lock").open("w")  # noqa: SIM115 (stays open)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        _locks.append(lock)
        return domain
    raise RuntimeError("all ROS domains are in use")
