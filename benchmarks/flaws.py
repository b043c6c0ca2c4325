"""Measures how well flaws are found: recordings with planted flaws and clean ones, each replayed and judged.

With ``--variants`` the runs are those of the variants of `set_table`, in which a program is interpreted in the loop.

A planted flaw is found if one of its kind names an entity of it within half a second of where the physics has it.
Other flaws of that run must come from it, else they are false; so is every flaw of a clean run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flaw_cases import CASES, Case, Planted, States, Vain, clean
from flaw_variants import CLEAN, VARIANTS, runs_of
from flaw_variants import clean as clean_variant
from machine import machine

import hetwin_suite
from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.episodes.flaws.find import flaws_of
from hetwin_core.episodes.flaws.flaw import Flaw
from hetwin_suite._study.run_result import RunResult

NEAR_S = 0.5
EXAMPLES = """examples:
  python benchmarks/flaws.py --each 10 --clean 100
  python benchmarks/flaws.py --each 3 --clean 0 --only edge,miss --keep /tmp/planted
  python benchmarks/flaws.py --variants --each 20 --clean 100 --seed 1000 --jobs 2
"""


def run_case(case: Case, folder: Path) -> Path:
    """Record, and replay with what is planted in the scene; returns the run's folder."""
    scenario = case.story.write(folder / "made")
    scene = {**case.scene, **case.story.added(folder / "made")}
    return hetwin_suite.run(scenario, out=folder / "run", scene=scene).folder


def judged(flaws: Sequence[Flaw], planted: Planted | None) -> tuple[bool, list[Flaw]]:
    """Return whether what is planted was found, and the flaws that are false."""
    if planted is None:
        return True, list(flaws)
    hits = [number for number, flaw in enumerate(flaws) if _is_it(flaw, planted)]
    false = [
        flaw
        for number, flaw in enumerate(flaws)
        if number not in hits and not any(cause.flaw in hits for cause in flaw.caused_by)
    ]
    return bool(hits), false


def found_of(flaws: Sequence[Flaw], planted: Sequence[Planted]) -> bool:
    """Return whether each of what is planted was found."""
    return all(any(_is_it(flaw, one) for flaw in flaws) for one in planted)


def _is_it(flaw: Flaw, planted: Planted) -> bool:
    begin, end = flaw.span.from_ns / 1e9 - NEAR_S, flaw.span.to_ns / 1e9 + NEAR_S
    is_there = begin <= planted.time <= end
    return flaw.kind in planted.kinds and is_there and bool(planted.entities & {*flaw.entities})


def measure(name: str, seed: int, keep: Path | None) -> dict[str, Any]:
    """Make and judge one run; returns its row."""
    try:
        case = clean(seed) if name == "clean" else CASES[name](seed)
    except RunFailed:  # out of the arm's reach
        return {"case": name, "seed": seed, "vain": True, "found": None, "false": []}
    with tempfile.TemporaryDirectory(prefix="hetwin-flaws-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / f"{name}_{seed}"
        try:
            run = run_case(case, folder)
            begun = time.process_time()
            flaws = flaws_of(run)
            spent = time.process_time() - begun
            planted = None if case.planted is None else case.planted(States(run))
        except Vain:
            return {"case": name, "seed": seed, "vain": True, "found": None, "false": []}
        finally:
            if keep is not None and folder.exists():
                shutil.copytree(folder, keep / folder.name, dirs_exist_ok=True)
    found, false = judged(flaws, planted)
    return {
        "case": name,
        "seed": seed,
        "vain": False,
        "found": found,
        "false": [flaw.to_json() for flaw in false],
        "flaws": [f"{f.kind}({', '.join(f.entities)}) {f.span.from_ns / 1e9:.2f}" for f in flaws],
        "planted": None if planted is None else planted.time,
        "seconds": spent,
    }


def measure_variant(
    name: str, seed: int, count: int, jobs: int, keep: Path | None
) -> Iterator[dict[str, Any]]:
    """Make and judge runs of a variant; yields their rows."""
    with tempfile.TemporaryDirectory(prefix="hetwin-flaws-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / name
        try:
            for number, result in enumerate(runs_of(name, seed, count, jobs, folder)):
                yield _judged_variant(name, seed + number, result)
                if keep is None and result.folder is not None:
                    shutil.rmtree(result.folder)
        finally:
            if keep is not None and folder.exists():
                shutil.copytree(folder, keep / name, dirs_exist_ok=True)


def _judged_variant(name: str, seed: int, result: RunResult) -> dict[str, Any]:
    """Judge a run; in one that failed nothing is found."""
    case = "clean" if name == CLEAN else name
    if result.error is not None or result.folder is None:
        false = [{"failed": result.error}] if name == CLEAN else []
        row = {"case": case, "seed": seed, "vain": False, "found": False, "false": false}
        return {**row, "flaws": result.error, "planted": None}
    run, begun = Path(result.folder), time.process_time()
    flaws = flaws_of(run)
    spent = time.process_time() - begun
    try:
        planted = clean_variant(States(run)) if name == CLEAN else VARIANTS[name](States(run))
    except Vain:
        return {"case": case, "seed": seed, "vain": True, "found": None, "false": []}
    return {
        "case": case,
        "seed": seed,
        "vain": False,
        "found": found_of(flaws, planted),
        "false": [flaw.to_json() for flaw in flaws] if name == CLEAN else [],
        "flaws": [f"{f.kind}({', '.join(f.entities)}) {f.span.from_ns / 1e9:.2f}" for f in flaws],
        "planted": [one.time for one in planted],
        "seconds": spent,
    }


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the figures of all rows."""
    counted = [row for row in rows if not row["vain"]]
    planted = [row for row in counted if row["case"] != "clean"]
    by_case = Counter(row["case"] for row in planted)
    hits = Counter(row["case"] for row in planted if row["found"])
    false = sum(len(row["false"]) for row in counted)
    return {
        "planted": len(planted),
        "found": sum(hits.values()),
        "share": sum(hits.values()) / max(len(planted), 1),
        "clean": sum(row["case"] == "clean" for row in counted),
        "false": false,
        "false_per_hundred": 100.0 * false / max(len(counted), 1),
        "cases": {name: [hits[name], count] for name, count in sorted(by_case.items())},
        "vain": sum(row["vain"] for row in rows),
    }


def _names(only: str | None, known: Mapping[str, Any]) -> list[str]:
    names = only.split(",") if only is not None else list(known)
    for name in names:
        if name not in known:
            raise SystemExit(f"--only: no case {name!r}; there are {', '.join(known)}")
    return names


def _rows(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    names = _names(given.only, CASES)
    for number in range(given.each):
        yield from (measure(name, given.seed + number, given.keep) for name in names)
    for number in range(given.clean):
        yield measure("clean", given.seed + number, given.keep)


def _rows_of_variants(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    names = _names(given.only, VARIANTS)
    for name in names:
        yield from measure_variant(name, given.seed, given.each, given.jobs, given.keep)
    if given.clean:
        yield from measure_variant(CLEAN, given.seed, given.clean, given.jobs, given.keep)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; 1 if flaws are missed or false ones found beyond the aim."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--each", type=int, default=9, help="runs of each case (default: 9)")
    parser.add_argument("--clean", type=int, default=100, help="clean runs (default: 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (default: 1)")
    parser.add_argument("--only", help="cases, separated by commas; default: all")
    parser.add_argument("--keep", type=Path, help="folder that keeps the runs")
    parser.add_argument(
        "--variants", action="store_true", help="of the scenario set_table, instead of recordings"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes, for variants (default: 1)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    rows = []
    for row in _rows_of_variants(given) if given.variants else _rows(given):
        rows.append(row)
        name, seed = row["case"], row["seed"]
        wrong = "" if row["vain"] or row["found"] else " MISSED"
        wrong += f" FALSE {len(row['false'])}" if row["false"] else ""
        said = "vain" if row["vain"] else f"{row['flaws']} planted at {row['planted']}"
        print(f"{name} {seed}:{wrong} {said}", file=sys.stderr, flush=True)
    figures = summary(rows)
    if given.json:
        print(json.dumps({"machine": machine(), **figures, "rows": rows}))
    else:
        for key, value in figures.items():
            print(f"{key}: {value}")
    missed = figures["planted"] > 0 and figures["share"] < 0.98
    return int(missed or figures["false_per_hundred"] > 1.0)


if __name__ == "__main__":
    sys.exit(main())
