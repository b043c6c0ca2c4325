"""Measures what a second and a third robot cost, side by side.

Arms that stand apart play the same recording, each with a copy of its own: one arm, two, and three. The cost is the
processor time of a simulated second, after the start, in one process. What a robot adds is compared with what the one
before it has added, and with the share of its joints.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from machine import machine

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.resources import resource

MOST = 3
APART_M = 3.0
_ROBOT = """\
  arm_{number}:
    urdf: {urdf}
    pose: [0, {y}, 0, 1, 0, 0, 0]
    source: {{recording: {recording}, joint_states: [/left/joint_states], annotations: []}}
"""
_SCENARIO = """\
scenario: several_robots
rate: 400
robots:
{robots}models:
  physics: {{type: main_physics, main: true, engine: mujoco}}
"""

EXAMPLES = """examples:
  python benchmarks/several_robots.py
  python benchmarks/several_robots.py --seconds 8 --runs 5 --json
"""


class _AfterStart(RunListener):
    """Notes the processor time at the beginning of the first step."""

    def started(self, start: RunStart) -> None:
        """Begin to count."""
        self.begun = time.process_time()


def cost(folder: Path, robots: int, seconds: float) -> float:
    """Processor time of a simulated second [s] with so many robots."""
    recording = resource("scenarios", "episodes/handing_over/left")
    rows = []
    for number in range(robots):
        own = folder / f"recording_{number}"
        if not own.exists():
            shutil.copytree(recording, own)
        urdf = resource("urdf", "tabletop_arm.urdf")
        place = {"number": number, "y": APART_M * number, "urdf": urdf, "recording": own}
        rows.append(_ROBOT.format(**place))
    file = folder / f"robots_{robots}.yaml"
    file.write_text(_SCENARIO.format(robots="".join(rows)), encoding="utf-8")
    clock = _AfterStart()
    summary = session(file, options=RunOptions(duration=seconds), listeners=[clock]).run()
    assert summary.error is None, summary.error
    return (time.process_time() - clock.begun) / summary.simulated_time


def measure(seconds: float, runs: int) -> list[float]:
    """Median cost of a simulated second with 1, 2 ... `MOST` robots [s]."""
    with tempfile.TemporaryDirectory() as name:
        turns = [
            [cost(Path(name), robots, seconds) for robots in range(1, MOST + 1)]
            for _ in range(runs)
        ]
    return [median(column) for column in zip(*turns, strict=True)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6.0, help="simulated, of each run")
    parser.add_argument("--runs", type=int, default=3, help="of each number of robots, in turn")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args(arguments)
    costs = measure(given.seconds, given.runs)
    added = [after - before for before, after in pairwise(costs)]
    figures = {
        "machine": machine(),
        "cpu_s_per_simulated_s": costs,
        "real_time_factor": [1.0 / one for one in costs],
        "added_cpu_s": added,
        "third_over_second": added[1] / added[0],
    }
    if given.json:
        json.dump(figures, sys.stdout, indent=1)
        print()
        return
    here = machine()
    print(f"{here['processor']}, {here['cores']} cores, load {here['load_before']:.1f}")
    print(f"processor time of a simulated second, median of {given.runs} runs in turn:")
    for robots, one in enumerate(costs, 1):
        print(f"  {robots} robots: {one:.3f} s (at most {1.0 / one:.1f} x real time)")
    print(f"  the second robot adds {added[0]:.3f} s, the third {added[1]:.3f} s")


if __name__ == "__main__":
    main()
