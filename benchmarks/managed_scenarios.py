"""Measures speed and error of fidelity management in whole scenarios: a robot among boxes, or unloading a truck.

Each load (a floor with its boxes, or a truck with its packets) is run in every mode, in the ensemble, with the same
draw of masses and friction. `error` is by how much the number of objects differs that end more than 0.1 m from where
they began, compared with full fidelity without the engine's sleeping; its interval is a bootstrap over the loads. Speed
is processor time of the run's steps. What was run is kept, so that a later call goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from machine import machine

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_fidelity import MODES
from hetwin_learning.fidelity.candidate import FULL, Candidate
from hetwin_learning.fidelity.learn_fidelity import CandidateScore, CandidateScorer, score_candidate
from hetwin_learning.fidelity.moved_objects import MovedWatcher
from hetwin_suite._study.run_result import RunResult
from hetwin_suite._study.study import Study
from hetwin_truck.cluttered_floor import FILE, write_cluttered_floor
from hetwin_truck.packets import LOADS
from hetwin_truck.scenario import scenario_file_name, write_truck_scenario

EXAMPLES = """examples:
  python benchmarks/managed_scenarios.py --quick
  python benchmarks/managed_scenarios.py --loads 10 --keep managed --json
  python benchmarks/managed_scenarios.py --scenario C --seed 1 --loads 4 --parameters 0.1,2,5 --keep managed
"""
FLOOR = "floor"
BOXES, QUICK_BOXES = 600, 30
CHOSEN = "chosen"
"""The mode of parameters that were given."""
_BASE = ("HiFi", False)
OPTIONS = RunOptions()


class Case(NamedTuple):
    """What is run: parameters under the name of a mode, and whether the engine puts objects to sleep."""

    mode: str
    sleep: bool
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class Row:
    """What one case brought, over all loads; see `CandidateScore`, which compares with full fidelity without sleep.

    Attributes:
        speedup_alike: processor time in full fidelity with the same sleep over its own.
        of: number of loads.
    """

    scenario: str
    mode: str
    sleep: bool
    inflation: float | None
    rest_steps: int
    interval: float
    real_time_factor: float
    speedup: float
    speedup_alike: float
    error: float
    error_low: float
    error_high: float
    of: int
    failed: int


class Runs:
    """Runs that are kept in a file, one line each, and made when they are missing.

    Args:
        scenario: floor, A, B or C.
        folder: for the file and the scenarios of all loads.
        boxes: on the floor.
    """

    def __init__(self, scenario: str, folder: Path, boxes: int) -> None:
        self._name = f"{FLOOR}_{boxes}" if scenario == FLOOR else scenario
        self._scenario, self._folder, self._boxes = scenario, folder, boxes
        self._file = folder / f"{self._name}.jsonl"
        self._known: dict[tuple[int, bool, Candidate], RunResult] = {}
        with suppress(FileNotFoundError):
            for line in self._file.read_text(encoding="utf-8").splitlines():
                load, sleep, candidate, (spent, simulated, moved, error) = json.loads(line)
                found = measured(spent, simulated, moved, error or None)
                self._known[load, sleep, Candidate(*candidate)] = found

    def of(self, load: int, case: Case, *, may_run: bool) -> RunResult | None:
        """Return a run; None: it was not made, and may not be."""
        key = (load, case.sleep, case.candidate)
        if key not in self._known and may_run:
            watcher = MovedWatcher(self._path(load), "engine_sleep" if case.sleep else None)
            scoring = CandidateScorer(Study(watcher, OPTIONS, seed=load, jobs=1))
            self._known[key] = found = scoring.run(case.candidate, 0)
            kept = (found.processor_s, found.end_ns / 1e9, found.seen, found.error or "")
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps([*key, kept]) + "\n")
            told = f"{found.seen} moved, {found.processor_s:.1f} s of processor time {found.error or ''}"
            print(f"{self._name}, load {load}, {case.mode}: {told}", file=sys.stderr, flush=True)
        return self._known.get(key)

    def _path(self, load: int) -> Path:
        folder = self._folder / f"{self._name}_{load}"
        on_floor = self._scenario == FLOOR
        file = folder / (FILE if on_floor else scenario_file_name(self._scenario))
        if file.exists():
            return file
        if on_floor:
            return write_cluttered_floor(folder, self._boxes, load)
        return write_truck_scenario(folder, self._scenario, load)


def measured(
    processor_s: float, simulated_s: float, moved: int, error: str | None = None
) -> RunResult:
    """Return a run as it was kept."""
    end_ns = round(simulated_s * 1e9)
    return RunResult(0, end_ns, seen=moved, processor_s=processor_s, error=error)


def cases(parameters: Sequence[Candidate], sleep: Sequence[bool]) -> list[Case]:
    """Return every mode, and the parameters that were given, full fidelity first."""
    of_modes = [(mode, FULL if to is None else Candidate(to)) for mode, to in MODES.items()]
    named = [*of_modes, *((CHOSEN, one) for one in parameters)]
    return [Case(mode, asleep, one) for asleep in sleep for mode, one in named]


def rows_of(scenario: str, runs: Sequence[dict[Case, RunResult]]) -> list[Row]:
    """Return the rows of a scenario from the runs of its loads; loads that were not run in every case are left out."""
    wanted = max(runs, key=len, default={}).keys()
    whole = [load for load in runs if load.keys() == wanted]
    return [_row(scenario, case, whole) for case in wanted]


def _row(scenario: str, case: Case, loads: Sequence[dict[Case, RunResult]]) -> Row:
    own = [load[case] for load in loads]
    alike = _compared(case, own, loads, ("HiFi", case.sleep))
    found = _compared(case, own, loads, _BASE)
    return Row(
        scenario,
        case.mode,
        case.sleep,
        *case.candidate,
        found.real_time_factor,
        found.speedup,
        alike.speedup,
        found.error,
        found.error_low,
        found.error_high,
        found.of,
        found.failed,
    )


def _compared(
    case: Case,
    own: Sequence[RunResult],
    loads: Sequence[dict[Case, RunResult]],
    base: tuple[str, bool],
) -> CandidateScore:
    return score_candidate(case.candidate, own, [load[Case(*base, FULL)] for load in loads])


def _print(on: dict[str, Any], rows: Sequence[Row]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}\n")
    print(
        "| scenario | mode | inflation [m], rest steps, interval [s] | engine sleep | real-time factor"
        " | over HiFi without sleep | over HiFi alike | error (95 % interval) | loads |"
    )
    print("|" + "---|" * 9)
    for r in rows:
        managed = f"{r.inflation:g}, {r.rest_steps}, {r.interval:g}" if r.inflation else ""
        speed = f"{r.real_time_factor:.2f} | {r.speedup:.2f} | {r.speedup_alike:.2f}"
        error = f"{100 * r.error:+.1f} % ({100 * r.error_low:+.1f} to {100 * r.error_high:+.1f})"
        sleep = "on" if r.sleep else "off"
        print(
            f"| {r.scenario} | {r.mode} | {managed} | {sleep} | {speed} | {error} | {r.of} |"
            + (f" {r.failed} failed" if r.failed else "")
        )


def _measured(given: argparse.Namespace, scenario: str) -> Iterator[dict[Case, RunResult]]:
    """Run every load in every case, as far as the time goes."""
    end = time.monotonic() + given.limit
    boxes = QUICK_BOXES if given.quick else given.boxes
    runs = Runs(scenario, given.keep, boxes)
    asked = cases(given.parameters, (False, True) if given.sleep else (False,))
    for load in range(given.seed, given.seed + given.loads):
        found = {
            case: run
            for case in asked
            if (run := runs.of(load, case, may_run=time.monotonic() < end)) is not None
        }
        if found:
            yield found


def _parameters(text: str) -> Candidate:
    inflation, rest_steps, interval = text.split(",")
    return Candidate(float(inflation), int(rest_steps), float(interval))


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, run, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--scenario",
        action="append",
        choices=[FLOOR, *sorted(LOADS)],
        help=f"default: {FLOOR}",
    )
    parser.add_argument("--loads", type=int, default=10, help="per scenario (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="of the first load (default: 0)")
    parser.add_argument("--boxes", type=int, default=BOXES, help=f"on the floor (default: {BOXES})")
    parser.add_argument(
        "--parameters",
        action="append",
        type=_parameters,
        default=[],
        metavar="INFLATION,REST_STEPS,INTERVAL",
        help="measured beside the modes, as hetwin learn fidelity finds them",
    )
    parser.add_argument("--sleep", action="store_true", help="also with the engine's sleeping")
    parser.add_argument(
        "--limit", type=float, default=2700.0, help="begin no run after so many s (default: 2700)"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("managed"), help="folder to go on from (default: managed)"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a floor with few boxes: a look, no result"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.loads < 1 or given.seed < 0 or given.boxes < 1 or not given.limit > 0:
        parser.error("--loads, --boxes and --limit must be above 0, --seed at least 0")
    given.keep.mkdir(parents=True, exist_ok=True)
    on = machine()
    scenarios = list(dict.fromkeys(given.scenario or [FLOOR]))
    rows = [row for name in scenarios for row in rows_of(name, list(_measured(given, name)))]
    if given.json:
        found = [asdict(row) for row in rows]
        print(json.dumps({"machine": on, "quick": given.quick, "rows": found}, indent=2))
    else:
        _print(on, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
