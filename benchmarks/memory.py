"""Measures memory over long runs: resident memory of every process of a trivial ensemble, and its slope.

A run of the `hetwin` command with log and all checks is monitored from outside. The first third of the samples is
left out, since caches and the allocator fill up then; the slope is that of a line fitted to the others.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import coupling
import numpy as np
from machine import machine

STEPS = {"local": 1_000_000, "ros": 100_000}
PERIOD_S = 0.25
LEFT_OUT = 1 / 3
EXAMPLES = """examples:
  python benchmarks/memory.py
  python benchmarks/memory.py --transport local --steps 100000 --json
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One process of one run; memory is resident memory."""

    transport: str
    process: str
    steps: int
    samples: int
    mib_after_a_third: float
    mib_at_the_end: float
    bytes_per_1000_steps: float


def descendants(pid: int) -> list[int]:
    """Return the ids of a process and of all its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue  # it has just ended
        for child in children:
            found += descendants(int(child))
    return found


def resident(pid: int) -> float | None:
    """Return the resident memory in bytes; None if the process has ended, or is about to."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return None
    return float(pages * os.sysconf("SC_PAGE_SIZE")) if pages else None


def name_of(pid: int) -> str:
    """Return the node's name, or a description of the process."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    except OSError:
        return str(pid)
    nodes = [word.removeprefix("__node:=") for word in words if word.startswith("__node:=")]
    module = words[words.index("-m") + 1] if "-m" in words else words[0]
    return nodes[0] if nodes else module.rpartition(".")[2]


def watch(transport: str, models: int, steps: int) -> list[Row]:
    """Run and sample.

    Raises:
        RuntimeError: if the run fails.
    """
    samples: dict[int, list[tuple[float, float]]] = {}
    names: dict[int, str] = {}
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        scenario = Path(folder) / "trivial.yaml"
        scenario.write_text(coupling.scenario_of(models), encoding="utf-8")
        command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", str(scenario)]
        command += ["--transport", transport, "--duration", repr(steps / coupling.RATE)]
        command += ["--json", "--no-page", "--out", f"{folder}/run"]
        paths = [str(coupling.HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "ROS_DOMAIN_ID": str(20 + os.getpid() % 80),
        }
        with Path(folder, "said").open("w") as said:
            process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
            while process.poll() is None:
                time.sleep(PERIOD_S)
                for pid in descendants(process.pid):
                    memory = resident(pid)
                    if memory is not None:
                        names[pid] = name_of(pid)
                        samples.setdefault(pid, []).append((time.monotonic(), memory))
        if process.returncode:
            raise RuntimeError(f"{transport}: " + Path(folder, "said").read_text()[-500:])
    longest = max(len(rows) for rows in samples.values())
    return [
        _row(transport, names[pid], steps, rows)
        for pid, rows in samples.items()
        if len(rows) > longest / 2
    ]


def _row(transport: str, name: str, steps: int, samples: Sequence[tuple[float, float]]) -> Row:
    times, memory = np.array(samples).T
    kept = slice(
        round(len(times) * LEFT_OUT), len(times) - 1
    )  # the last sample is during the shutdown
    done = steps * (times - times[0]) / (times[-1] - times[0])
    slope = float(np.polyfit(done[kept], memory[kept], 1)[0])
    first, last = memory[kept][0] / 2**20, memory[kept][-1] / 2**20
    count = len(memory[kept])
    return Row(transport, name, steps, count, float(first), float(last), 1000.0 * slope)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if a run fails."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--transport", action="append", choices=list(STEPS), help="default: both")
    parser.add_argument("--steps", type=int, help="default: 1000000 local, 100000 ros")
    parser.add_argument("--models", type=int, default=2, help="default: 2")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    on = machine()
    rows: list[Row] = []
    try:
        for transport in given.transport or STEPS:
            rows += watch(transport, given.models, given.steps or STEPS[transport])
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        print(json.dumps({"machine": on, "rows": [asdict(row) for row in rows]}, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before\n")
    print(
        "| transport | process | steps | MiB after a third | MiB at the end | bytes per 1000 steps |"
    )
    print("|---|---|---|---|---|---|")
    for row in rows:
        memory = f"{row.mib_after_a_third:.1f} | {row.mib_at_the_end:.1f}"
        slope = f"{row.bytes_per_1000_steps:.0f}"
        print(f"| {row.transport} | {row.process} | {row.steps} | {memory} | {slope} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
