"""Runs the tests again and again, each time in another order, and counts which of them fail: ``make test-again N=5``.

Failed tests are not tried again. Each run's seed is printed; `--seed` runs in that order once more.
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "build" / "again"
EXAMPLES = """examples:
  make test-again N=5
  python test/again.py 1 --seed 4711 -- -n 4 --dist loadfile test/conductor_node
"""


class Ran(NamedTuple):
    """One run of the tests.

    Attributes:
        failed: names of the tests that failed or could not be set up.
        counts: how many passed, failed and were skipped.
        seconds: how long it took.
        load: of the machine, before it [processes].
    """

    failed: list[str]
    counts: Counter[str]
    seconds: float
    load: float


def run(seed: int, arguments: list[str]) -> Ran:
    """Run the tests in the order of a seed.

    Raises:
        RuntimeError: if pytest ran no test.
    """
    REPORTS.mkdir(parents=True, exist_ok=True)
    report = REPORTS / f"{seed}.xml"
    report.unlink(missing_ok=True)
    load, begun = os.getloadavg()[0], time.monotonic()
    order = ["--random-order-bucket=module", f"--random-order-seed={seed}"]
    words = [sys.executable, "-m", "pytest", "-q", *order, f"--junitxml={report}", *arguments]
    subprocess.run(words, cwd=ROOT, stdout=(REPORTS / f"{seed}.log").open("w"), check=False)
    seconds = time.monotonic() - begun
    if not report.exists():
        raise RuntimeError(f"no test ran; see {REPORTS / f'{seed}.log'}")
    counts: Counter[str] = Counter()
    failed = []
    for case in ET.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        kind = next((k for k in ("error", "failure", "skipped") if k in kinds), "passed")
        counts[{"error": "failed", "failure": "failed"}.get(kind, kind)] += 1
        if kind in ("error", "failure"):
            failed.append(f"{case.get('classname')}::{case.get('name')}")
    return Ran(failed, counts, seconds, load)


def main() -> None:
    """Run them as often as wanted; with 1 if any test failed in any run."""
    parser = argparse.ArgumentParser(
        usage="%(prog)s [-h] [--seed SEED] times [-- arguments of pytest]",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("times", type=int, help="how often")
    parser.add_argument("--seed", type=int, help="of the first run's order; the next ones count up")
    words = sys.argv[1:]
    end = words.index("--") if "--" in words else len(words)
    given, of_pytest = parser.parse_args(words[:end]), words[end + 1 :]
    first = secrets.randbelow(10**6) if given.seed is None else given.seed
    failures: Counter[str] = Counter()
    for seed in range(first, first + given.times):
        ran = run(seed, of_pytest)
        failures.update(ran.failed)
        counts = ", ".join(f"{ran.counts[kind]} {kind}" for kind in ("passed", "failed", "skipped"))
        minutes, seconds = divmod(round(ran.seconds), 60)
        print(f"seed {seed}: {counts} in {minutes}:{seconds:02} min, load before {ran.load:.1f}")
        for name in ran.failed:
            print(f"  failed: {name}", flush=True)
    for name, count in failures.most_common():
        print(f"{count} of {given.times}: {name}")
    print(f"{sum(failures.values())} failures in {given.times} runs; reports in {REPORTS}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
