"""Measures the paper's Table 1: the speedup of a robot's simulation with a separate simulation of the fluid in a cup.

Five setups of Bauer et al. (2022), section 4.1, as real-time factors (simulated time over wall time), first with the
same particles and the same contact solver, only split (like for like), then with the particle model that such a
sub-simulation would really use (own solver). The setups without robot run, as in the paper, coupled to a simulation of
the robot and the rest; the factor is that of both together. The fluid has a process of its own, or with
``--process shared`` a thread of the conductor's. All setups run in turn.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml
from in_turn import in_turn
from machine import machine
from poured import Tilt, Way, poured

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.reporting.listener import RunListener, RunStart, RunSummary
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_tables.single_simulation import world_with

ROOT = Path(__file__).resolve().parents[1]
RATE = 400
EVERY = 6
"""Main steps per step of the fluid: 15 ms, which both 2.5 ms and 3.75 ms divide."""
LIKE_FOR_LIKE, OWN_SOLVER = "like for like", "own solver"
BARE, SINGLE = "bare simulation w/o particles", "robot with 50 particles"
SPLIT_50, SPLIT_100 = "50 particles w/o robot", "100 particles w/o robot"
LARGER_STEP = "100 particles w/o robot, 1.5* step size"
PAPER = {BARE: 0.98, SINGLE: 0.55, SPLIT_50: 0.97, SPLIT_100: 0.75, LARGER_STEP: 1.09}
PARTICLES = {BARE: 0, SINGLE: 50, SPLIT_50: 50, SPLIT_100: 100, LARGER_STEP: 100}
RATIOS = {
    "50 split off / one simulation with 50": (SPLIT_50, SINGLE),
    "100 split off / one simulation with 50": (SPLIT_100, SINGLE),
    "100 with larger steps / 100": (LARGER_STEP, SPLIT_100),
    "50 split off / bare": (SPLIT_50, BARE),
    "100 split off / bare": (SPLIT_100, BARE),
}
OF_BOTH = (BARE, SINGLE)
"""Setups that are the same for both variants, and measured only once."""
TILTS = (Tilt(1.9, 0.6), Tilt(1.75, 0.6), Tilt(1.75, 0.8), Tilt(1.65, 1.0))
"""Tilts and back without a pause, so that a part of the particles is poured."""
SEEDS = 3
REST_S = 0.35
"""Before each run: Linux limits real-time priority to 95 % of a second, which would affect short runs at random."""

EXAMPLES = """examples:
  python benchmarks/table1.py
  python benchmarks/table1.py --pour
  python benchmarks/table1.py --rounds 9 --seconds 2
  python benchmarks/table1.py --solver newton --json > table1.json
"""


@dataclass(frozen=True, slots=True)
class Poured:
    """The number of 50 particles that a tilt poured; with the own solver the mean of three runs."""

    angle: float
    tilting: float
    way: str
    count: float


@dataclass(frozen=True, slots=True)
class Row:
    """One setup; `runs` are the factors of all rounds, `real_time_factor` is their median.

    The processor times are medians too, in seconds per simulated second: of the main model's thread, and of all other
    threads and processes. Unlike the factors they hardly depend on other load on the machine; with a free core for each
    thread, the factor is nearly the inverse of the larger of the two.
    """

    setup: str
    variant: str
    real_time_factor: float
    paper: float
    runs: tuple[float, ...]
    main_thread: float
    beside: float


@dataclass(frozen=True, slots=True)
class Run:
    """The measurement of one run; see `Row`."""

    factor: float
    main_thread: float
    beside: float


class ProcessorTime(RunListener):
    """A listener that measures the processor time from the first step to the last."""

    def __init__(self) -> None:
        self.main_thread = self.beside = 0.0

    def started(self, start: RunStart) -> None:
        """The models have started."""
        others = {model.pid for model in start.models} - {os.getpid()}
        self._before = sum(map(_processor_time_of, others)) + _processor_time_of_all()
        self._begin = time.thread_time()

    def ended(self, summary: RunSummary) -> None:
        """The last step is done, and the processes of models have ended."""
        self.main_thread = time.thread_time() - self._begin
        self.beside = _processor_time_of_all() - self._before - self.main_thread


def _processor_time_of(pid: int) -> float:
    """Of another process so far [s]; its clock is named after it, see clock_getcpuclockid(3)."""
    return time.clock_gettime((~pid << 3) | 2)


def _processor_time_of_all() -> float:
    """Of this process and of those that it has started and that have ended [s]."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def scenario(setup: str, variant: str, solver: str, folder: Path, process: str = "own") -> Path:
    """Write a scenario file of one setup, with its world.

    Args:
        setup: of `PAPER`.
        variant: like for like, or own solver.
        solver: of contacts between rigid bodies.
        folder: for the files.
        process: of the fluid: own or shared.
    """
    name = f"{setup} {variant}".translate(str.maketrans("", "", " /*.,"))
    world = folder / f"{name}.sdf"
    world.write_text(world_with(PARTICLES[SINGLE] if setup == SINGLE else 0), encoding="utf-8")
    physics = {"options": {"solver": solver}, "proximity_objects": ["jug", "bowl"]}
    models: dict[str, Any] = {
        "physics": {"type": "main_physics", "main": True, "parameters": physics}
    }
    if setup not in OF_BOTH:
        fluid = {"cup": "jug", "particles": PARTICLES[setup], **_solver(setup, variant, solver)}
        models["water"] = {
            "type": "fluid_in_cup",
            "coupling": "beside",
            "process": process,
            "every": EVERY,
            "parameters": fluid,
        }
    file = folder / f"{name}.yaml"
    text = {
        "scenario": "table1",
        "world": str(world),
        "robot": "urdf/tabletop_arm.urdf",
        "rate": RATE,
        "models": models,
    }
    file.write_text(yaml.safe_dump(text, sort_keys=False), encoding="utf-8")
    return file


def _solver(setup: str, variant: str, solver: str) -> dict[str, Any]:
    if variant == OWN_SOLVER:
        return {"kind": "points", "time_step": 0.0075 if setup == LARGER_STEP else 0.005}
    step = 1.5 / RATE if setup == LARGER_STEP else 1.0 / RATE
    return {"kind": "spheres", "time_step": step, "solver": solver}


def run(file: Path, seconds: float) -> Run:
    """Run a scenario and measure it.

    Raises:
        RunFailed: if the run fails.
    """
    spent, options = ProcessorTime(), RunOptions(duration=seconds)
    summary = session(file, options=options, listeners=[spent], own_processes=True).run()
    if summary.error is not None:
        raise RunFailed("table1", file.stem, 0, str(summary.error))
    simulated = summary.simulated_time
    beside = max(spent.beside, 0.0) / simulated
    return Run(summary.real_time_factor, spent.main_thread / simulated, beside)


def cases() -> list[tuple[str, str]]:
    """Return all cases: setup and variant."""
    own = [(setup, OWN_SOLVER) for setup in PAPER if setup not in OF_BOTH]
    return [(setup, LIKE_FOR_LIKE) for setup in PAPER] + own


def measure(rounds: int, seconds: float, solver: str, process: str) -> list[Row]:
    """Measure all setups in turn, round after round, so that a slow phase of the machine affects all alike."""
    with tempfile.TemporaryDirectory(prefix="hetwin_table1_") as folder:
        files = {case: scenario(*case, solver, Path(folder), process) for case in cases()}

        def one(case: tuple[str, str]) -> Run:
            time.sleep(REST_S)
            return run(files[case], seconds)

        def words(case: tuple[str, str], measured: Run) -> str:
            return f"{', '.join(case)}: {measured.factor:.2f}"

        found, _ = in_turn(list(files), rounds, math.inf, one, words)
    for setup in OF_BOTH:
        found[setup, OWN_SOLVER] = found[setup, LIKE_FOR_LIKE]
    return [
        _row(setup, variant, found[setup, variant])
        for variant in (LIKE_FOR_LIKE, OWN_SOLVER)
        for setup in PAPER
    ]


def _row(setup: str, variant: str, runs: Sequence[Run]) -> Row:
    factors = tuple(run.factor for run in runs)
    main, beside = ([getattr(run, name) for run in runs] for name in ("main_thread", "beside"))
    return Row(
        setup,
        variant,
        statistics.median(factors),
        PAPER[setup],
        factors,
        statistics.median(main),
        statistics.median(beside),
    )


def ratios(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    """Return the paper's conclusions as ratios per variant: medians of the ratios within each round."""
    of = {(row.setup, row.variant): row.runs for row in rows}

    def ratio(variant: str, one: str, other: str) -> float:
        pairs = zip(of[one, variant], of[other, variant], strict=True)
        return statistics.median(a / b for a, b in pairs)

    return {
        variant: {words: ratio(variant, *pair) for words, pair in RATIOS.items()}
        for variant in (LIKE_FOR_LIKE, OWN_SOLVER)
    }


def pour() -> list[Poured]:
    """Measure the same tilts with each way of simulating the fluid."""
    found: list[Poured] = []
    with tempfile.TemporaryDirectory(prefix="hetwin_table1_") as folder:
        for tilt in TILTS:
            for way in Way:
                seeds = range(SEEDS if way is Way.POINTS else 1)
                counts = [poured(way, tilt, 50, Path(folder), seed) for seed in seeds]
                found.append(Poured(tilt.angle, tilt.tilting, way.value, statistics.mean(counts)))
                told = f"{tilt.angle} rad in {tilt.tilting} s: {way.value}: {found[-1].count:.1f}"
                print(told, file=sys.stderr, flush=True)
    return found


def show(on: dict[str, Any], rows: Sequence[Row], solver: str) -> None:
    """Print the table and the ratios."""
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f} before")
    print(f"Python {on['python']}, {on['date']}, contact solver {solver}\n")
    print("| setup | paper | like for like | own solver |")
    print("|---|---|---|---|")
    by = {(row.setup, row.variant): row for row in rows}
    for setup in PAPER:
        ours = [_cell(by[setup, variant]) for variant in (LIKE_FOR_LIKE, OWN_SOLVER)]
        print(f"| {setup} | {PAPER[setup]:.2f} | {' | '.join(ours)} |")
    print("\n| ratio, median over the rounds | paper | like for like | own solver |")
    print("|---|---|---|---|")
    found = ratios(rows)
    for words, (one, other) in RATIOS.items():
        both = " | ".join(f"{found[v][words]:.2f}" for v in (LIKE_FOR_LIKE, OWN_SOLVER))
        print(f"| {words} | {PAPER[one] / PAPER[other]:.2f} | {both} |")
    print(
        "\n| processor time per simulated second: main thread + beside | like for like | own solver |"
    )
    print("|---|---|---|")
    for setup in PAPER:
        pair = (by[setup, variant] for variant in (LIKE_FOR_LIKE, OWN_SOLVER))
        cells = [f"{row.main_thread:.3f} + {row.beside:.3f} s" for row in pair]
        print(f"| {setup} | {' | '.join(cells)} |")


def show_poured(found: Sequence[Poured]) -> None:
    """Print the numbers of poured particles."""
    print("\n| poured of 50, tilted there and back | " + " | ".join(Way) + " |")
    print("|---|---|---|---|")
    by = {(row.angle, row.tilting, row.way): row.count for row in found}
    for tilt in TILTS:
        counts = " | ".join(f"{by[tilt.angle, tilt.tilting, way]:.1f}" for way in Way)
        print(f"| {tilt.angle} rad, {tilt.tilting} s each way | {counts} |")


def _cell(row: Row) -> str:
    return f"{row.real_time_factor:.2f} ({min(row.runs):.2f} to {max(row.runs):.2f})"


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print; 1 if a run fails."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=5, help="of all setups (default: 5)")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="simulated, per run (default: 1)"
    )
    parser.add_argument(
        "--solver",
        choices=("cg", "newton"),
        default="cg",
        help="of contacts where all are rigid bodies; cg is the quicker one in piles (default: cg)",
    )
    parser.add_argument(
        "--pour", action="store_true", help="also count what a tilted jug pours (some minutes)"
    )
    parser.add_argument(
        "--process",
        choices=("own", "shared"),
        default="own",
        help="of the fluid: its own, or the conductor's (default: own)",
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.rounds < 1:
        parser.error(f"--rounds: found {given.rounds}, expected at least 1")
    if not 0.0 < given.seconds <= 60.0:
        parser.error(f"--seconds: found {given.seconds:g}, expected above 0, at most 60")
    on = machine()
    try:
        rows = measure(given.rounds, given.seconds, given.solver, given.process)
        counted = pour() if given.pour else []
    except HetwinError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if given.json:
        how = {"solver": given.solver, "process": given.process}
        told = {"machine": on, **how, "ratios": ratios(rows)}
        told |= {"rows": [asdict(one) for one in rows]}
        told |= {"poured": [asdict(one) for one in counted]}
        print(json.dumps(told, indent=2))
    else:
        show(on, rows, given.solver)
        if counted:
            show_poured(counted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
