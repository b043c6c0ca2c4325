"""Batches: whether the intervals of a rule hold, and what a run of a batch costs against one of `hetwin run`.

Usage: batches.py coin | cost [--before TREE] [--samples N] [--rounds N]

`coin` stops 500 batches of coins of known probability by `--until width=0.2`, and counts in how many the interval
holds the truth. `cost` runs `hetwin predict pick_and_place` and, in turn, `hetwin run pick_and_place --no-page` of a
tree of hetwin (this one, or an older one), and compares processor time a run, and runs a minute.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hetwin_futures.until import read_until, share

HERE = Path(__file__).resolve().parent.parent
BATCHES, MOST = 500, 2000
TRUTHS = (0.02, 0.1, 0.3, 0.5, 0.8, 0.95)
RULE = "width=0.2"
JOBS = 2


class Cost(NamedTuple):
    """What runs took.

    Attributes:
        cpu: processor time a run, of all processes [s].
        wall: wall time a run [s].
    """

    cpu: float
    wall: float


def stopped_batch(truth: float, random: np.random.Generator) -> tuple[bool, int]:
    """Toss a coin until the rule has enough; returns whether the interval holds it, and how many tosses."""
    rule, yes = read_until(RULE, {"heads": "true"}), 0
    for of in range(1, MOST + 1):
        yes += int(random.random() < truth)
        known = share(yes, of)
        if rule.holds({"heads": known}):
            break
    return known.low <= truth <= known.high, of


def coin() -> None:
    """Print for each coin in how many batches the interval holds the truth."""
    print("| probability | batches | interval holds the truth | runs, median |")
    print("|---|---|---|---|")
    for number, truth in enumerate(TRUTHS):
        random = np.random.default_rng([5, number])
        found = [stopped_batch(truth, random) for _ in range(BATCHES)]
        held = sum(holds for holds, _ in found) / BATCHES
        runs = statistics.median(of for _, of in found)
        print(f"| {truth:g} | {BATCHES} | {held:.1%} | {runs:g} |")


def measured(command: Sequence[str], tree: Path, runs: int) -> Cost:
    """Return what a command costs a run.

    Args:
        command: after ``hetwin``.
        tree: of hetwin.
        runs: that it makes.
    """
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "hetwin_suite.cli.command", *command],
        env={**os.environ, "PYTHONPATH": str(tree)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(used / runs, (time.monotonic() - begun) / runs)


def cost(before: Path, samples: int, rounds: int) -> None:
    """Print what a run of a batch costs against one of `hetwin run`, measured in turn."""
    rows: list[tuple[Cost, Cost]] = []
    for number in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            batch = ["predict", "pick_and_place", "-n", str(samples), "--jobs", str(JOBS)]
            one = measured([*batch, "--out", f"{folder}/batch"], HERE, samples)
            alone = ["run", "pick_and_place", "--no-page", "--json", "--out", f"{folder}/run"]
            rows.append((one, measured(alone, before, 1)))
        told = {"batch": rows[-1][0]._asdict(), "run": rows[-1][1]._asdict()}
        print(f"round {number + 1}: {json.dumps(told)}", file=sys.stderr)
    ratio = statistics.median(batch.cpu / run.cpu for batch, run in rows)
    pace = statistics.median(run.wall / batch.wall for batch, run in rows)
    cpu = statistics.median(batch.cpu for batch, _ in rows)
    minute = statistics.median(60.0 / batch.wall for batch, _ in rows)
    print("| processor time a run [s] | of that of hetwin run | runs a minute | times as many |")
    print("|---|---|---|---|")
    print(f"| {cpu:.2f} | {ratio:.2f} | {minute:.0f} | {pace:.1f} |")


def main() -> None:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("coin", "cost"))
    parser.add_argument("--before", type=Path, default=HERE, help="tree of hetwin for hetwin run")
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.what == "coin":
        coin()
    else:
        cost(given.before.resolve(), given.samples, given.rounds)


if __name__ == "__main__":
    main()
