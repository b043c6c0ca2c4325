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

from hetwin_core.ensemble.supervision.interrupts import block_signals, end_at_once

COLLECTION_THRESHOLD = 200_000
"""Number of new objects that starts a cyclic garbage collection; imports often exceed the default of 700."""
VARIABLES = {
    "PYDANTIC_DISABLE_PLUGINS": "1",  # its search for plugins is slow
    # Threads of NumPy's linear algebra spin while they wait, which costs more than they compute for small matrices; and
    # the last bits of a large product depend on their number.
    "OPENBLAS_NUM_THREADS": "1",
}
"""Environment variables of hetwin's processes, unless they are set already."""


def start(module: str) -> None:
    """Import a module, which may take seconds, and call its `main`."""
    end_at_once()
    gc.set_threshold(COLLECTION_THRESHOLD)
    set_variables()
    atexit.register(_skip_final_collection)
    import_module(module).main()


def set_variables() -> None:
    """Set `VARIABLES` before the libraries are imported that read them."""
    for name, value in VARIABLES.items():
        os.environ.setdefault(name, value)


# CPython takes its stack in pieces of 16 KiB, and gives a piece back as soon as it is empty. A loop whose calls cross
# the end of a piece, such as a deeply nested import, takes several times as long. For a frame of this size, in words of
# 8 bytes, it takes a piece of 1 MiB, half of which is free for all further calls; unused pages take no memory.
start.__code__ = start.__code__.replace(co_stacksize=70_000)


@contextmanager
def rare_garbage_collection() -> Iterator[None]:
    """Make cyclic garbage collection as rare as `start` does, in this context."""
    young, *older = gc.get_threshold()
    gc.set_threshold(max(young, COLLECTION_THRESHOLD) if young else 0, *older)
    try:
        yield
    finally:
        gc.set_threshold(young, *older)


def _skip_final_collection() -> None:
    """Skip the final garbage collection; the end of the process frees everything, except shared memory of ROS."""
    if "rclpy" not in sys.modules:
        gc.freeze()


if __name__ == "__main__":
    block_signals()  # NumPy's threads must never receive a signal, which Gazebo's server would handle
    set_variables()
    import_module("numpy")
    start(sys.argv.pop(1))
