"""Measures whether explanations hold: the stand-in records a missed drop again with the shift that mends it.

For missed drops of a seed, `hetwin explain --change CONTAINER` names the smallest shift of the container with which the
drop would have succeeded. The stand-in records the same episode with this shift, and with half of it. What an episode
gave is kept in a file, so that the benchmark can be stopped and goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from machine import machine

from hetwin_bauer2022.episodes import record_episodes
from hetwin_bauer2022.kind import Kind
from hetwin_bauer2022.recipe import Shifts
from hetwin_futures.explaining import explain
from hetwin_futures.of_run import study_of

MISSED = "missed"
WHOLE, HALF = 1.0, 0.5
AIM_WHOLE, AIM_HALF = 0.8, 0.4
EXAMPLES = """examples:
  python benchmarks/explanations.py --count 3
  python benchmarks/explanations.py --count 40 --seed 9000 --keep explanations.json --json
"""


def record(seed: int, number: int, out: Path, shifts: Shifts | None = None) -> dict[str, Any]:
    """Record an episode of a seed; returns what was true."""
    record_episodes(Kind.DROP, 1, seed, out, episode=number, shifts=shifts)
    episode = out / f"drop_{number:04d}"
    truth: dict[str, Any] = json.loads((episode / "truth.json").read_text(encoding="utf-8"))
    return truth


def processor_s() -> float:
    """Return the processor time of this process and of its children that are over [s]."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(seed: int, number: int, jobs: int | None) -> dict[str, Any]:
    """Return the row of an episode; only a missed drop is explained, and only one that is mended is recorded again."""
    with tempfile.TemporaryDirectory(prefix="hetwin_explained_") as text:
        folder = Path(text)
        truth = record(seed, number, folder / "was")
        row: dict[str, Any] = {"episode": number, "cause": truth["cause"], "mended": None}
        if truth["cause"] != MISSED:
            return row
        container = str(truth["container"])
        before = processor_s()
        episode = folder / "was" / f"drop_{number:04d}"
        study, tables = study_of(episode, folder / "run")
        study.jobs = jobs
        found = explain(study, tables, container)
        row |= {
            "container": container,
            "mended": found.found,
            "text": found.text,
            "futures": found.finished,
            "processor_s": round(processor_s() - before, 2),
        }
        if found.change is not None:
            x, y, _ = found.change.shift
            row["shift"] = [round(x, 6), round(y, 6)]
            for name, share in (("whole", WHOLE), ("half", HALF)):
                there = {container: (share * x, share * y)}
                row[name] = record(seed, number, folder / name, there)["label"] == "success"
        return row


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the figures of all rows."""
    missed = [row for row in rows if row["cause"] == MISSED]
    mended = [row for row in missed if row["mended"]]
    return {
        "missed": len(missed),
        "mended": len(mended),
        "whole": sum(row["whole"] for row in mended),
        "half": sum(row["half"] for row in mended),
        "processor_s": sorted(row["processor_s"] for row in mended)[len(mended) // 2]
        if mended
        else None,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; 1 if explanations do not hold as often as they are to."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--count", type=int, default=40, help="mended drops (default: 40)")
    parser.add_argument("--seed", type=int, default=9000, help="of the stand-in (default: 9000)")
    parser.add_argument("--jobs", type=int, help="futures at a time; default: one per core")
    parser.add_argument(
        "--keep", type=Path, help="file with the rows; its episodes are not repeated"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    kept = given.keep is not None and given.keep.exists()
    rows: list[dict[str, Any]] = json.loads(given.keep.read_text()) if kept else []
    while sum(bool(row["mended"]) for row in rows) < given.count:
        row = measure(given.seed, len(rows) + 1, given.jobs)
        rows.append(row)
        if given.keep is not None:
            given.keep.write_text(json.dumps(rows, indent=1))
        print(json.dumps(row), file=sys.stderr, flush=True)
    figures = summary(rows)
    if given.json:
        print(json.dumps({"machine": machine(), **figures, "rows": rows}))
    else:
        for key, value in figures.items():
            print(f"{key}: {value}")
    mended = max(figures["mended"], 1)
    held = figures["whole"] / mended >= AIM_WHOLE and figures["half"] / mended <= AIM_HALF
    return int(not held)


if __name__ == "__main__":
    sys.exit(main())
