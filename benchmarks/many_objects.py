"""Measures what many objects cost: time until the first step, peak memory, and processor time of a simulated second.

Boxes stand apart on a floor, free to move or fixed; each run has a process of its own.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from machine import machine

COUNTS = (100, 1_000, 10_000)
EDGE, APART, FLOOR = 0.05, 0.2, 100.0
SIMULATED_S = 1.0
EXAMPLES = """examples:
  python benchmarks/many_objects.py
  python benchmarks/many_objects.py --counts 100,500 --kinds free --json
"""
_MODEL = """<model name="box_{i}"><static>{static}</static><pose>{x} {y} {z} 0 0 0</pose><link name="link">
<inertial><mass>0.1</mass></inertial>
<collision name="c"><geometry><box><size>{edge} {edge} {edge}</size></box></geometry></collision></link></model>
"""
_WORLD = """<sdf version="1.11"><world name="many">
<model name="floor"><static>true</static><link name="link"><collision name="c"><geometry><box>
<size>{floor} {floor} 0.1</size></box></geometry></collision></link></model>
{models}</world></sdf>
"""
_SCENARIO = """scenario: many
world: many.sdf
rate: 100
models:
  physics: {type: main_physics, main: true, engine: mujoco, deadline: 600}
responsibilities:
  - {entity: "*", attribute: pose, model: physics}
"""
_SCRIPT = """
import json, resource, sys, time
from hetwin_suite.runs import RunOptions, session
begun, steps = time.process_time(), []
run = session(sys.argv[1], options=RunOptions(duration=float(sys.argv[2])),
    at_barrier=lambda now: steps.append(time.process_time()))
run.run()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([steps[0] - begun, (steps[-1] - steps[0]) / float(sys.argv[2]), peak]))
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One run; times are processor time."""

    kind: str
    objects: int
    first_step_s: float | None
    simulated_second_s: float | None
    peak_mib: float | None
    refused: str = ""


def measured(kind: str, count: int) -> Row:
    """Run a world of so many boxes, or say why it is refused."""
    side = round(count**0.5 + 0.5)
    models = "".join(
        _MODEL.format(
            i=i,
            static=str(kind == "fixed").lower(),
            x=APART * (i % side - side / 2),
            y=APART * (i // side - side / 2),
            z=0.05 + EDGE / 2,
            edge=EDGE,
        )
        for i in range(count)
    )
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as name:
        folder = Path(name)
        (folder / "many.sdf").write_text(_WORLD.format(floor=FLOOR, models=models), "utf-8")
        (folder / "many.yaml").write_text(_SCENARIO, encoding="utf-8")
        command = [sys.executable, "-c", _SCRIPT, str(folder / "many.yaml"), str(SIMULATED_S)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        words = re.sub(r"/\S*/", "", done.stderr.strip().splitlines()[-1])
        return Row(kind, count, None, None, None, words)
    return Row(kind, count, *json.loads(done.stdout.splitlines()[-1]))


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    yield "| objects | | until the first step [s] | a simulated second [s] | peak memory [MiB] |"
    yield "|---|---|---|---|---|"
    for row in rows:
        if row.first_step_s is None or row.simulated_second_s is None or row.peak_mib is None:
            yield f"| {row.objects:,} | {row.kind} | {row.refused} | | |"
            continue
        cost = f"{row.first_step_s:.1f} | {row.simulated_second_s:.1f} | {row.peak_mib:.0f}"
        yield f"| {row.objects:,} | {row.kind} | {cost} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--counts", default=",".join(map(str, COUNTS)), help="default: %(default)s")
    parser.add_argument("--kinds", default="free,fixed", help="default: %(default)s")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    on = machine()
    counts = [int(count) for count in given.counts.split(",")]
    rows = [measured(kind, count) for kind in given.kinds.split(",") for count in counts]
    if given.json:
        print(json.dumps({"machine": on, "rows": [asdict(row) for row in rows]}, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before\n")
    print(*_lines(rows), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
