"""What `start` does to the process before it calls a module's `main`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PAGE_FAULTS = """
import resource


def nothing():
    pass


def descend(depth):
    for _ in range(300):
        nothing()
    if depth:
        descend(depth - 1)


def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def main():
    descend(300)
    before = faults()
    descend(300)
    print(faults() - before)
"""


def page_faults(folder: Path, begin: str) -> int:
    """Page faults of calls at all depths up to 300, where each piece of the stack that is taken anew causes one."""
    (folder / "deep_calls.py").write_text(PAGE_FAULTS)
    command = [sys.executable, "-c", begin]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return int(done.stdout)


def test_calls_at_any_depth_take_no_new_piece_of_the_stack(tmp_path: Path) -> None:
    assert page_faults(tmp_path, "import deep_calls; deep_calls.main()") > 300
    starting = "from hetwin_core.ensemble.supervision.starting import start"
    assert page_faults(tmp_path, f"{starting}; start('deep_calls')") < 100
