"""Measures the cost of coupling: wall time per model and step of the same trivial ensemble in hetwin and its peers.

One source counts up and all other models follow it, each at every step, so that only the coupling takes time.
hetwin runs as for a user: with log, checks and deadlines. The runs of all systems are interleaved, so that
a slow phase of the machine affects all alike; the medians are reported.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from in_turn import Absent, in_turn
from machine import machine

HERE = Path(__file__).resolve().parent
MODELS = (2, 8, 32)
ROUNDS = 3
RUN_LIMIT_S = 120.0
RATE = 400
EXAMPLES = """examples:
  python benchmarks/coupling.py
  python benchmarks/coupling.py --models 2 --system "hetwin local" --system bare
  python benchmarks/coupling.py --json > coupling.json
"""


@dataclass(frozen=True, slots=True)
class Row:
    """The median of all `runs`, in microseconds of wall time per model and step."""

    system: str
    n: int
    us_per_model_step: float
    runs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A case that was not measured, and the reason."""

    system: str
    n: int
    reason: str


@dataclass(frozen=True, slots=True)
class System:
    """The ensemble in one system.

    Attributes:
        run: takes the numbers of models and of steps; returns the wall time of all steps in s.
        steps: of a run, all models together.
    """

    run: Callable[[int, int], float]
    steps: int


def hetwin(transport: str) -> Callable[[int, int], float]:
    """Return a function that runs the command hetwin; its summary has the wall time from first to last step."""

    def run(models: int, steps: int) -> float:
        with tempfile.TemporaryDirectory(prefix="hetwin_benchmark_") as folder:
            scenario = Path(folder) / "trivial.yaml"
            scenario.write_text(scenario_of(models), encoding="utf-8")
            command = [sys.executable, "-m", "hetwin_suite.cli.command", "run", str(scenario)]
            command += ["--transport", transport, "--duration", repr(steps / RATE)]
            command += ["--json", "--no-page", "--out", f"{folder}/run"]
            domain = {"ROS_DOMAIN_ID": str(20 + os.getpid() % 80)}
            told = json.loads(_output(command, domain))
        found = round(told["simulated_time"] * RATE)
        if found != steps:
            raise RuntimeError(f"hetwin {transport}: {found} steps; expected {steps}")
        return float(told["wall_time"])

    return run


def scenario_of(models: int) -> str:
    """Return the scenario of the trivial ensemble."""
    followers = "".join(
        f"  follower_{i}: {{type: 'coupling_peers.hetwin_models:Follower',"
        f" parameters: {{entity: tank_{i}}}}}\n"
        for i in range(1, models)
    )
    return (
        f"scenario: trivial\nrate: {RATE}\nmodels:\n"
        "  source: {type: 'coupling_peers.hetwin_models:Source', main: true}\n" + followers
    )


def peer(module: str, way: str = "") -> Callable[[int, int], float]:
    """Return a function that runs one of the programs in `coupling_peers`."""

    def run(models: int, steps: int) -> float:
        command = [sys.executable, "-m", f"coupling_peers.{module}"]
        command += ["--models", str(models), "--steps", str(steps)]
        command += ["--way", way] if way else []
        return float(json.loads(_output(command, {}).splitlines()[-1])["seconds"])

    return run


def _output(command: Sequence[str], environment: Mapping[str, str]) -> str:
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        ended = subprocess.run(
            command,
            cwd=HERE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
            capture_output=True,
            text=True,
            timeout=RUN_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Absent(f"not done after {RUN_LIMIT_S:g} s") from None
    if ended.returncode == 0:
        return ended.stdout
    said = (ended.stderr.strip().splitlines() or ["no word"])[-1]
    raise Absent(f"ended with code {ended.returncode}: {said}")


SYSTEMS: Mapping[str, System] = {
    "hetwin local": System(hetwin("local"), 40_000),
    "hetwin ros": System(hetwin("ros"), 20_000),
    "mosaik in-process": System(peer("mosaik_peer", "in-process"), 10_000),
    "mosaik subprocess": System(peer("mosaik_peer", "subprocess"), 4_000),
    "bare rclpy": System(peer("rclpy_peer", "subprocess"), 8_000),
    "helics inproc": System(peer("helics_peer", "inproc"), 20_000),
    "helics tcp": System(peer("helics_peer", "tcp"), 6_000),
    "bare": System(peer("bare_peer"), 60_000),
}


def measure(
    names: Sequence[str], models: Sequence[int], rounds: int, limit_s: float
) -> tuple[list[Row], list[Skipped]]:
    """Run all cases in turn."""

    def one(case: tuple[str, int]) -> float:
        name, n = case
        steps = max(100, SYSTEMS[name].steps // n)
        return 1e6 * SYSTEMS[name].run(n, steps) / steps / n

    cases = [(name, n) for n in models for name in names]
    words = "{0[0]}, {0[1]} models: {1:.1f} us".format
    found, skipped = in_turn(cases, rounds, limit_s, one, words)
    rows = [Row(*case, statistics.median(f), f) for case, f in found.items()]
    return rows, [Skipped(*case, reason) for case, reason in skipped.items()]


def _print(on: Mapping[str, Any], rows: Sequence[Row], skipped: Sequence[Skipped]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"{on['system']}, Python {on['python']}, {on['date']}\n")
    models = sorted({row.n for row in rows})
    print("us per model and step\n")
    print("| system | " + " | ".join(f"{n} models" for n in models) + " |")
    print("|---|" + "---|" * len(models))
    for name in dict.fromkeys(row.system for row in rows):
        cells = {row.n: row for row in rows if row.system == name}
        texts = [f"{cells[n].us_per_model_step:.1f}" if n in cells else "" for n in models]
        print(f"| {name} | " + " | ".join(texts) + " |")
    for one in skipped:
        print(f"not measured: {one.system}, {one.n} models: {one.reason}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if nothing could be measured or a run is wrong."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--models", type=int, action="append", help="default: 2, 8 and 32")
    parser.add_argument("--system", action="append", choices=list(SYSTEMS), help="default: all")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each (default: 3)")
    parser.add_argument(
        "--limit", type=float, default=900.0, help="start no run after so many s (default: 900)"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    models = given.models or MODELS
    if given.rounds < 1 or min(models) < 2:
        parser.error("expected at least 1 round and at least 2 models")
    on = machine()
    try:
        rows, skipped = measure(given.system or list(SYSTEMS), models, given.rounds, given.limit)
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        tables = {"rows": [asdict(r) for r in rows], "skipped": [asdict(s) for s in skipped]}
        print(json.dumps({"machine": on, **tables}, indent=2))
    else:
        _print(on, rows, skipped)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
