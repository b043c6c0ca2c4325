"""A night of recordings: what `hetwin night` finds in it, whether it goes on after kills, and what it costs.

Example: python benchmarks/nights.py --count 200 --planted 50 --broken 5 --hanging 2 --kills 3 --seed 4711
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from night_bags import PLANTED, write_night, write_scenario

CLAIM = 'placed=holds(on("box", "tray"), at(end))'
SHORT_S = 0.5
TABLES = ("night.csv", "night.json", "night.html", "night.parquet")


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--planted", type=int, default=50)
    parser.add_argument("--broken", type=int, default=5)
    parser.add_argument("--hanging", type=int, default=2)
    parser.add_argument("--kills", type=int, default=3, help="at random moments of another night")
    parser.add_argument("--jobs", type=int, nargs="+", default=[1, 2], help="timed without hanging")
    parser.add_argument(
        "--short", action="store_true", help="recordings of half a second: for memory"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measured(Path(folder), given)
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        for name, value in found.items():
            print(f"{name}: {value}")


def measured(folder: Path, given: argparse.Namespace) -> dict[str, Any]:
    """Write a night, judge it, and return the figures."""
    bags = folder / "bags"
    numbers = (given.count, given.planted, given.broken, given.hanging, given.seed)
    kinds = write_night(bags, *numbers, until=SHORT_S if given.short else None)
    write_scenario(folder)
    seconds, code = night(folder, "whole", jobs=2)
    found: dict[str, Any] = {"seconds": round(seconds, 1), "code": code}
    found |= judged(folder / "whole", kinds)
    seconds, _ = night(folder, "whole", jobs=2)
    found["second call [s]"] = round(seconds, 2)
    if given.kills:
        found["as after kills"] = killed(folder, given)
    for jobs in () if given.short else given.jobs:
        hanging = [name for name, kind in kinds.items() if kind == "hang"]
        for name in hanging:
            (bags / name).rename(folder / Path(name).name)
        seconds, _ = night(folder, f"jobs_{jobs}", jobs=jobs)
        for name in hanging:
            (folder / Path(name).name).rename(bags / name)
        found[f"seconds of {jobs} jobs, none hangs"] = round(seconds, 1)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found["largest process [MiB]"] = round(children.ru_maxrss / 1024)
    return found


def night(folder: Path, out: str, jobs: int) -> tuple[float, int]:
    """Run the command; returns wall time [s] and exit code."""
    begun = time.monotonic()
    done = subprocess.run(_words(folder, out, jobs), cwd=folder, capture_output=True, check=False)
    return time.monotonic() - begun, done.returncode


def _words(folder: Path, out: str, jobs: int) -> list[str]:
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "night", "bags"]
    return [
        *command,
        *("--scenario", str(folder / "night.yaml"), "--claim", CLAIM, "--still", "20"),
        *("--out", out, "--jobs", str(jobs), "--runs", "none"),
    ]


def judged(out: Path, kinds: dict[str, str]) -> dict[str, str]:
    """How many of each kind are named."""
    rows = {row["name"]: row for row in json.loads((out / "night.json").read_text())["rows"]}
    planted = [name for name, kind in kinds.items() if kind in PLANTED]
    clean = [name for name, kind in kinds.items() if kind == "clean"]
    named = [name for name in planted if rows[name]["outcome"] == "bad"]
    false = [name for name in clean if rows[name]["outcome"] != "good"]
    faults = {name: kind for name, kind in kinds.items() if kind.split()[0] in ("broken", "hang")}
    right = [
        name
        for name, kind in faults.items()
        if rows[name]["verdict"] == {"broken": "broken", "hang": "hangs"}[kind.split()[0]]
    ]
    missed = sorted({kinds[name] for name in planted if name not in named})
    return {
        "planted that are named": f"{len(named)} of {len(planted)} {missed or ''}".strip(),
        "clean ones that are not good": f"{len(false)} of {len(clean)}",
        "broken and hanging, by what they are": f"{len(right)} of {len(faults)}",
    }


def killed(folder: Path, given: argparse.Namespace) -> str:
    """Kill a night at random moments, let it go on, and compare its tables with the whole one's."""
    rng = np.random.default_rng(given.seed)
    for _ in range(given.kills):
        with subprocess.Popen(
            _words(folder, "killed", 2),
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            time.sleep(float(rng.uniform(3.0, 3.0 + given.count / 5)))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    night(folder, "killed", 2)
    whole, after = folder / "whole", folder / "killed"
    same = [n for n in TABLES if (whole / n).read_bytes() == (after / n).read_bytes()]
    return f"{len(same)} of {len(TABLES)} files equal, byte for byte"


if __name__ == "__main__":
    main()
