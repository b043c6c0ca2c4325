"""Starts a module's `main` so that SIGINT and SIGTERM during its imports end the process quietly.

``python -m hetwin_core.ensemble.supervision.starting MODULE ARGUMENTS...``
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

from hetwin_core.ensemble.supervision.interrupts import end_at_once, hold

YOUNG = 200_000
"""Objects made before Python looks for cycles among them; by default 700, which imports exceed all the time."""


def start(module: str) -> None:
    """Import a module, which may take seconds, and call its `main`."""
    end_at_once()
    gc.set_threshold(YOUNG)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # else it searches all packages for them
    atexit.register(_look_for_no_cycles)
    import_module(module).main()


@contextmanager
def few_looks_for_cycles() -> Iterator[None]:
    """Let Python look for cycles as rarely as `start` does, while a run goes on."""
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, YOUNG) if young else 0, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


def _look_for_no_cycles() -> None:
    """The end of the process frees everything, but for shared memory of ROS: holders of that must be freed before."""
    if "rclpy" not in sys.modules:
        gc.freeze()


def _import_numpy() -> None:
    """Import NumPy, whose threads must never get a signal: Gazebo's server takes it where the main thread would not."""
    hold()
    import_module("numpy")


if __name__ == "__main__":
    _import_numpy()
    start(sys.argv.pop(1))
