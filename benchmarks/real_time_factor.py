"""Measures the real-time factors of scenarios, in one process and as ROS 2 nodes.

Each run is a run of the `hetwin` command as by a user, with all models, the log and all checks; the report is
written after a run and not measured. The factor is simulated time over wall time from the first step to the
last, without startup and shutdown. With `--before`, the processor time per simulated second is compared with that of
another tree, in pairs, with the shares of the parts.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from cost_pairs import PairRow, measure_pairs
from in_turn import Absent, in_turn
from machine import machine
from tree_command import run_command

ROOT = Path(__file__).resolve().parents[1]
SCENARIOS = ("pick_and_place", "baxter_pick_and_place", "uncertain_environment", "insertion")
EPISODES = {"uncertain_environment": "drop", "insertion": "insertion"}
"""Scenarios without a shipped recording -> kind of the episode to record for them."""
SEED = 5
TRANSPORTS = ("local", "ros")
RUN_LIMIT_S = 300.0

EXAMPLES = """examples:
  python benchmarks/real_time_factor.py
  python benchmarks/real_time_factor.py --runs 5 --scenario pick_and_place --transport local
  python benchmarks/real_time_factor.py --json > factors.json
  python benchmarks/real_time_factor.py --before ../hetwin_before --runs 7 --limit 3600
"""


@dataclass(frozen=True, slots=True)
class Row:
    """The factors of all `runs` of a case, with their median `real_time_factor`."""

    scenario: str
    transport: str
    real_time_factor: float
    runs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A case that was not measured, and the reason."""

    scenario: str
    transport: str
    reason: str


def record(kind: str, folder: Path) -> list[str]:
    """Record an episode; returns the options of `hetwin run` that replay it.

    Raises:
        Absent: if that fails.
    """
    command = [sys.executable, "-m", "hetwin_suite.cli.command", "record", kind]
    command += ["-n", "1", "--seed", str(SEED), "--out", str(folder / kind)]
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=RUN_LIMIT_S, check=False
    )
    episode = folder / kind / f"{kind}_0001"
    if ended.returncode != 0:
        said = (ended.stderr.strip().splitlines() or ["no word"])[-1]
        raise Absent(f"no episode could be recorded: {said}")
    scene = json.loads((episode / "scene.json").read_text(encoding="utf-8"))["scene"]
    return ["--source", str(episode / "recording"), "--scene", json.dumps(scene)]


def factor(scenario: str, transport: str, options: Sequence[str]) -> float:
    """Return the real-time factor of one run.

    Raises:
        Absent: if it lacks input.
        RuntimeError: if the run fails.
    """
    with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
        command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", scenario]
        command += [
            "--transport",
            transport,
            "--json",
            "--no-page",
            "--out",
            f"{folder}/run",
            *options,
        ]
        found, _ = run_command(command, ROOT, f"{scenario}, {transport}", RUN_LIMIT_S)
    return float(found["real_time_factor"])


def measure(
    scenarios: Sequence[str], transports: Sequence[str], runs: int, limit_s: float, folder: Path
) -> tuple[list[Row], list[Skipped]]:
    """Run all cases in turn.

    Episodes are recorded in `folder` when they are first needed.
    """
    options: dict[str, list[str]] = {}

    def one(case: tuple[str, str]) -> float:
        name = case[0]
        if name not in options:
            options[name] = record(EPISODES[name], folder) if name in EPISODES else []
        return factor(*case, options[name])

    cases = [(s, t) for s in scenarios for t in transports]
    found, skipped = in_turn(cases, runs, limit_s, one, lambda c, f: f"{', '.join(c)}: {f:.2f}")
    rows = [Row(*case, statistics.median(f), f) for case, f in found.items()]
    return rows, [Skipped(*case, reason) for case, reason in skipped.items()]


def _print_machine(on: dict[str, Any]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"{on['system']}, Python {on['python']}, {on['date']}\n")


def _print_pairs(rows: Sequence[PairRow], skipped: Mapping[str, str]) -> None:
    print(
        "| scenario | transport | before [s/s] | after [s/s] | ratio | least | most | pairs | same digest |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        costs = f"{row.before:.4f} | {row.after:.4f} | {row.ratio:.2f}"
        spread = f"{min(row.ratios):.2f} | {max(row.ratios):.2f} | {len(row.ratios)}"
        same = "yes" if row.same_digest else "NO"
        print(f"| {row.scenario} | {row.transport} | {costs} | {spread} | {same} |")
    profiled = [row for row in rows if row.shares_after]
    if profiled:
        print("\n| part | " + " | ".join(f"{r.scenario}, before -> after" for r in profiled) + " |")
        print("|---" * (len(profiled) + 1) + "|")
        for part in profiled[0].shares_before:
            cells = (
                f"{r.shares_before.get(part, 0):.1%} -> {r.shares_after.get(part, 0):.1%}"
                for r in profiled
            )
            print(f"| {part} | {' | '.join(cells)} |")
    for case, reason in skipped.items():
        print(f"not measured: {case}: {reason}")


def _print(rows: Sequence[Row], skipped: Sequence[Skipped]) -> None:
    print("| scenario | transport | real-time factor | least | most | runs |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        spread = f"{min(row.runs):.2f} | {max(row.runs):.2f} | {len(row.runs)}"
        print(f"| {row.scenario} | {row.transport} | {row.real_time_factor:.2f} | {spread} |")
    for one in skipped:
        print(f"not measured: {one.scenario}, {one.transport}: {one.reason}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if a run fails or nothing could be measured."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--runs", type=int, default=3, help="of each case (default: 3)")
    parser.add_argument("--scenario", action="append", help="default: " + ", ".join(SCENARIOS))
    parser.add_argument("--transport", action="append", choices=TRANSPORTS, help="default: both")
    parser.add_argument(
        "--limit", type=float, default=600.0, help="start no run after so many s (default: 600)"
    )
    parser.add_argument(
        "--before", type=Path, help="another tree with hetwin in its .venv: compare costs in pairs"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.runs < 1:
        parser.error(f"--runs: found {given.runs}, expected at least 1")
    on = machine()
    try:
        with tempfile.TemporaryDirectory(prefix="hetwin_episodes_") as folder:
            scenarios, transports = given.scenario or SCENARIOS, given.transport or TRANSPORTS
            if given.before is not None:
                return _compare(given, scenarios, transports, Path(folder), on)
            rows, skipped = measure(scenarios, transports, given.runs, given.limit, Path(folder))
    except (Absent, RuntimeError, subprocess.TimeoutExpired) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        tables = {"rows": [asdict(r) for r in rows], "skipped": [asdict(s) for s in skipped]}
        print(json.dumps({"machine": on, **tables}, indent=2))
    else:
        _print_machine(on)
        _print(rows, skipped)
    return 0 if rows else 1


def _compare(
    given: argparse.Namespace,
    scenarios: Sequence[str],
    transports: Sequence[str],
    folder: Path,
    on: dict[str, Any],
) -> int:
    options = {name: record(EPISODES[name], folder) for name in scenarios if name in EPISODES}
    cases = [(s, t) for s in scenarios for t in transports]
    before = given.before.resolve()
    rows, skipped = measure_pairs(before, cases, options, given.runs, given.limit)
    if given.json:
        tables = {"rows": [asdict(row) for row in rows], "skipped": skipped}
        print(json.dumps({"machine": on, **tables}, indent=2))
    else:
        _print_machine(on)
        _print_pairs(rows, skipped)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
