"""Starts a module's `main` so that SIGINT and SIGTERM during its imports end the process quietly.

``python -m hetwin_core.ensemble.supervision.starting MODULE ARGUMENTS...``
"""

from __future__ import annotations

import sys
from importlib import import_module

from hetwin_core.ensemble.supervision.interrupts import end_at_once


def start(module: str) -> None:
    """Import a module, which may take seconds, and call its `main`."""
    end_at_once()
    import_module(module).main()


if __name__ == "__main__":
    start(sys.argv.pop(1))
