"""Measures the processor time that a run takes before its first step, cold and in a process that has run it before.

Cold is what both processes of `hetwin run` take together: the one that watches, up to where it parts from the other,
and the one with the models. Warm is a second run in the same process, as workers of many runs do it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from machine import machine

RUNS = 7
EXAMPLES = """examples:
  python benchmarks/cold_start.py
  python benchmarks/cold_start.py set_table --runs 3 --json
"""


def at_first_step(then: Callable[[], None]) -> None:
    """Call a function whenever a run of this process comes to its first step."""
    from hetwin_core.ensemble.conductor.run import Run

    loop = Run._loop

    def looping(self: Run, idle: Callable[[float], None]) -> str:
        then()
        return loop(self, idle)

    setattr(Run, "_loop", looping)  # noqa: B010 (it is a method)


def cold(scenario: str, folder: Path) -> None:
    """Run the command in this process, up to its first step; prints its processor time [s]."""
    parted = [0.0]

    def part() -> None:
        parted[0] = time.process_time()

    def end() -> None:
        os.write(2, f"\nBEGINS {parted[0] + time.process_time()}\n".encode())
        os._exit(0)

    os.register_at_fork(before=part)

    def importing(name: str) -> ModuleType:
        module = import_module(name)
        at_first_step(end)
        return module

    sys.argv = ["hetwin", "run", scenario, "--no-page", "--json", "--out", str(folder / "run")]
    from hetwin_core.ensemble.supervision import starting
    from hetwin_suite.cli.command import main

    # Only after the command has prepared this process, as imports before that would take longer.
    setattr(starting, "import_module", importing)  # noqa: B010 (mypy knows it as a function)
    main()


def warm(scenario: str, folder: Path) -> None:
    """Run a scenario twice in this process; prints the processor time before the first step of the second run [s]."""
    from hetwin_suite.running.api import run

    begun: list[float] = []
    at_first_step(lambda: begun.append(time.process_time()))
    for number in range(2):
        since = time.process_time()
        run(scenario, out=folder / str(number), duration=0.01)
    print(f"\nBEGINS {begun[-1] - since}", file=sys.stderr)


MEASURES: dict[str, Callable[[str, Path], None]] = {"cold": cold, "warm": warm}


def measured(how: str, scenario: str) -> float:
    """Measure one start in a process of its own [s].

    Raises:
        RuntimeError: if the run does not come to its first step.
    """
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        command = [sys.executable, __file__, scenario, "--one", how, "--in", folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    for line in done.stderr.splitlines():
        if line.startswith("BEGINS "):
            return float(line.partition(" ")[2])
    raise RuntimeError(f"{scenario} has not begun:\n{done.stderr}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("scenario", nargs="?", default="pick_and_place")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"default: {RUNS}")
    parser.add_argument("--one", choices=MEASURES, help=argparse.SUPPRESS)
    parser.add_argument("--in", dest="folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    given = parser.parse_args(arguments)
    if given.one is not None:
        MEASURES[given.one](given.scenario, given.folder)
        return 0
    on = machine()
    outcome: dict[str, Any] = {how: [] for how in MEASURES}
    for _ in range(given.runs):
        for how in MEASURES:
            outcome[how].append(measured(how, given.scenario))
    if given.json:
        print(json.dumps({"machine": on, "scenario": given.scenario, **outcome}, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    for how, times in outcome.items():
        median = statistics.median(times)
        print(
            f"{how}: {median:.3f} s (median of {len(times)}; {min(times):.3f} to {max(times):.3f} s)"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
