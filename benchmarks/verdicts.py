"""Measures whether verdicts say what is so: generated runs of three robots, each with a known truth.

A Panda with its two fingers, a UR5 without gripper and an SO-101 with a single jaw move through free space, past
things, into a table or a free box; the Panda fetches a box, loses it, lets it fall, or grips what the scene does not
have. Runs fail, are stopped, or end early. Some lack an input: collision shapes, masses, efforts or the fingers'
positions. What is so is known from how a run was made, and from a MuJoCo of the generator's own; no figure of the
generator comes from what hetwin detects.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

from machine import machine
from verdict_cases import PLAN, Case, draw_case
from verdict_files import asked_s, write_case
from verdict_judging import FINE, judge
from verdict_motions import Vain

import hetwin_suite
from hetwin_core.ensemble.errors import HetwinError

EXAMPLES = """examples:
  python benchmarks/verdicts.py --jobs 2                       # 696 runs, a quarter of an hour on two cores
  python benchmarks/verdicts.py --runs 58 --seed 7 --keep /tmp/wrong
  python benchmarks/verdicts.py --runs 29 --json
  python benchmarks/verdicts.py --only slip,drop --runs 20     # these kinds alone
"""
RUNS = 24 * len(PLAN)
LONGEST_S = 120
"""A run that takes longer has failed."""
_Z = 1.959964  # 95 % of the normal distribution

Row = Mapping[str, Any]
Measure = tuple[str, Callable[[Row], int | None], float, str]


def measure(keep: Path | None, task: tuple[str, str, int, int]) -> Row:
    """Make, run and judge one run; returns its row."""
    kind, robot, seed, number = task
    row = {"kind": kind, "robot": robot, "seed": seed, "number": number}
    begun = time.monotonic()
    try:
        case = draw_case(kind, robot, (seed, number))
    except Vain as vain:
        return {**row, "vain": str(vain)}
    drawn, name = time.monotonic() - begun, f"{number:04d}_{kind}_{robot}"
    with tempfile.TemporaryDirectory(prefix="hetwin-verdicts-", ignore_cleanup_errors=True) as made:
        folder = Path(made) / name
        refusal = _run(case, folder)
        judged = judge(case, folder / "run")
        if keep is not None and judged.is_wrong:
            shutil.copytree(folder, keep / name, dirs_exist_ok=True)
            told = {"truth": asdict(case.truth), "without": sorted(case.without), **asdict(judged)}
            (keep / name / "judged.json").write_text(json.dumps(told, indent=1), encoding="utf-8")
    return {
        **row,
        "vain": "",
        "without": sorted(case.without),
        "clean": case.is_clean,
        "refusal": refusal,
        **{key: value for key, value in asdict(judged).items() if key != "said"},
        "drawn_s": drawn,
        "seconds": time.monotonic() - begun,
    }


def _run(case: Case, folder: Path) -> str:
    """Write and run it; returns why it did not end by itself."""
    scenario = write_case(case, folder)
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LONGEST_S)
    try:
        hetwin_suite.run(scenario, out=folder / "run", duration=asked_s(case))
    except (HetwinError, KeyboardInterrupt, TimeoutError) as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return ""


def _too_long(_number: int, _frame: object) -> None:
    raise TimeoutError(f"the run takes more than {LONGEST_S} s")


def tasks(runs: int, seed: int, only: Sequence[str] = ()) -> list[tuple[str, str, int, int]]:
    """What is to be run: the kinds in turn."""
    plan = [one for one in PLAN if not only or one[0] in only]
    return [(*plan[number % len(plan)], seed, number) for number in range(runs)]


def rows_of(
    todo: Sequence[tuple[str, str, int, int]], jobs: int, keep: Path | None
) -> Iterator[Row]:
    """Measure all, in so many processes."""
    if jobs == 1:
        yield from map(partial(measure, keep), todo)
        return
    with multiprocessing.get_context("fork").Pool(jobs, maxtasksperchild=40) as pool:
        yield from pool.imap_unordered(partial(measure, keep), todo)


# ---------------------------------------------------------------------- figures


def wilson(yes: int, of: int) -> tuple[float, float]:
    """The interval of a share at a confidence of 95 % (E. B. Wilson, 1927)."""
    if of == 0:
        return 0.0, 1.0
    share, more = yes / of, _Z * _Z / of
    middle, half = share + more / 2, _Z * sqrt(share * (1 - share) / of + more / of / 4)
    return max(0.0, (middle - half) / (1 + more)), min(1.0, (middle + half) / (1 + more))


def _is(key: str) -> Callable[[Row], int | None]:
    return lambda row: int(bool(row[key]))


def _clean(of: Callable[[Row], bool]) -> Callable[[Row], int | None]:
    return lambda row: int(of(row)) if row["clean"] else None


def _of_named(what: str) -> Callable[[Row], int | None]:
    return lambda row: int(row["named"][what]) if what in row["named"] else None


MEASURES: Sequence[Measure] = (
    ("false fine", _is("false_fine"), 0.0, "none"),
    ("false so", _is("false_so"), 0.0, "none"),
    ("false not so", _is("false_not_so"), 0.0, "none"),
    ("not checked, input there", _is("unseen"), 0.0, "none"),
    ("checked without input", _is("overseen"), 0.0, "none"),
    ("clean runs that are fine", _clean(lambda row: row["verdict"] == FINE), 0.95, "95 %"),
    ("clean runs with a false alarm", _clean(lambda row: bool(row["alarms"])), 0.02, "2 %"),
    ("touches named", _of_named("touch"), 1.0, "100 %"),
    ("slips named", _of_named("slip"), 0.98, "98 %"),
    ("drops named", _of_named("drop"), 0.98, "98 %"),
)


def figures(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Counts, shares and intervals of all measures."""
    found = []
    for name, counts, aim, words in MEASURES:
        marks = [mark for row in rows if (mark := counts(row)) is not None]
        yes, of = sum(marks), len(marks)
        low, high = wilson(yes, of)
        share = yes / of if of else None
        met = share is None or (share <= aim if aim < 0.5 else share >= aim)
        found.append(
            {"measure": name, "count": yes, "of": of, "share": share, "low": low, "high": high}
            | {"aim": words, "met": met}
        )
    return found


def by_kind(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    """Verdicts of each kind of run, those apart that lack an input."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        lacks = f" without {row['without'][0]}" if row["without"] else ""
        found.setdefault(row["kind"] + lacks, Counter())[row["verdict"]] += 1
    return {kind: dict(counts) for kind, counts in sorted(found.items())}


def _show(rows: Sequence[Row], table: Sequence[Row]) -> None:
    print("| measure | count | of | share | 95 % | aim |\n|---|---|---|---|---|---|")
    for one in table:
        share = "" if one["share"] is None else f"{one['share']:.1%}"
        between = f"{one['low']:.1%} to {one['high']:.1%}" if one["of"] else ""
        aim = one["aim"] + ("" if one["met"] else " (missed)")
        print(f"| {one['measure']} | {one['count']} | {one['of']} | {share} | {between} | {aim} |")
    print("\n| runs | verdicts |\n|---|---|")
    for kind, counts in by_kind(rows).items():
        print(f"| {kind} | {', '.join(f'{n} {verdict}' for verdict, n in counts.items())} |")


def _tell(row: Row) -> None:
    """One line of progress."""
    name = f"{row['number']:04d} {row['kind']} {row['robot']}"
    if row["vain"]:
        print(f"{name}: vain, {row['vain']}", file=sys.stderr, flush=True)
        return
    wrong = [f"{key}: {row[key][0]}" for key in ("false_fine", "false_so") if row[key]]
    wrong += [
        f"{key}: {row[key][0]}"
        for key in ("false_not_so", "unseen", "overseen", "alarms")
        if row[key]
    ]
    wrong += [f"{what} not named" for what, named in row["named"].items() if not named]
    lacks = f" without {row['without'][0]}" if row["without"] else ""
    print(f"{name}{lacks}: {row['verdict']} {'; '.join(wrong)}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and measure; 1 if an aim is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=RUNS, help=f"how many (default: {RUNS})")
    parser.add_argument("--seed", type=int, default=1, help="of all draws (default: 1)")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--jobs", type=int, default=cores, help=f"processes (default: {cores})")
    parser.add_argument("--only", default="", help="kinds, separated by commas; default: all")
    parser.add_argument("--keep", type=Path, help="folder for runs that are wrong, to look at")
    parser.add_argument("--json", action="store_true", help="print all rows as JSON")
    given = parser.parse_args(arguments)
    begun, rows = time.monotonic(), []
    only = [name for name in given.only.split(",") if name]
    if unknown := {*only} - {kind for kind, _ in PLAN}:
        parser.error(f"no such kind: {', '.join(sorted(unknown))}")
    todo = tasks(given.runs, given.seed, only)
    for row in rows_of(todo, given.jobs, given.keep):
        rows.append(row)
        _tell(row)
    made = [row for row in rows if not row["vain"]]
    table = figures(made)
    if given.json:
        told = {"machine": machine(), "seconds": time.monotonic() - begun, "table": table}
        print(json.dumps({**told, "kinds": by_kind(made), "rows": rows}))
    else:
        _show(made, table)
        vain, spent = len(rows) - len(made), time.monotonic() - begun
        print(f"\n{len(made)} runs in {spent:.0f} s; {vain} more could not be drawn")
    return int(not all(one["met"] for one in table))


if __name__ == "__main__":
    sys.exit(main())
