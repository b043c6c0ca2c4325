"""What tests of several modules need, made once for all of pytest-xdist's workers."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder of a name, made by the first test that asks for it.

    Args:
        factory: whose folder all workers share.
        name: the same for what is made the same way.
        make: writes into the folder, which is there and empty; what it has written must not be changed.
    """
    base = factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made_once"
    folder, done = shared / name, shared / f"{name}.done"
    folder.mkdir(parents=True, exist_ok=True)
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            make(folder)
            done.touch()
    return folder
