"""Measures how many packets are unloaded in ten minutes in every mode of fidelity: long, and can be resumed.

After figures 6 and 7 of Tallavajhula et al. (2019): scenarios A, B and C, four modes, ten loads each (there: one load,
50 times, with an engine that is not reproducible). The robot picks and sweeps in turn. Each run is one row of the file
`--rows`, written when the run is over; those that are in it already are not run again, so that the benchmark may be
interrupted and go on. All of it takes about 11 hours of one core. Rates are per simulated hour, real-time factors are
simulated time over processor time, errors are relative to HiFi on the same loads, with 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from hetwin_fidelity import MODES
from hetwin_futures.intervals import relative_difference
from hetwin_truck.actions import ACTIONS, Unloader
from hetwin_truck.packets import LOADS, Load, draw_load
from hetwin_truck.site import Site
from model_nodes.main_physics.engines.engine import Diverged

TEN_MINUTES = 600.0
HOUR = 3600.0
_SETTLE_STEPS = 100
EXAMPLES = """examples:
  python benchmarks/unloading_rates.py --rows rates.jsonl
  python benchmarks/unloading_rates.py --rows rates.jsonl --wall 0 --figure rates.png
  python benchmarks/unloading_rates.py --rows look.jsonl --seconds 60 --scenarios C --runs 1
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: what it is of, and what came of it.

    Attributes:
        number: of the load.
        seconds: how long it was to last.
        packets: in the load.
        times: simulated time at the end of each action.
        unloaded: packets unloaded by then.
        cpu: processor time.
        ended: as it should; or the load was ``empty``, or the engine ``diverged``.
    """

    scenario: str
    mode: str
    number: int
    seconds: float
    packets: int
    times: tuple[float, ...]
    unloaded: tuple[int, ...]
    cpu: float
    ended: str

    @property
    def key(self) -> tuple[str, str, int, float, int]:
        """What it is of."""
        return self.scenario, self.mode, self.number, self.seconds, self.packets

    @property
    def count(self) -> int:
        """The packets unloaded."""
        return self.unloaded[-1] if self.unloaded else 0


def unload(scenario: str, mode: str, number: int, seconds: float, packets: int) -> Run:
    """Unload a truck for a while."""
    drawn = draw_load(
        Load(packets, LOADS[scenario].height), np.random.default_rng([number, ord(scenario)])
    )
    site = Site(drawn)
    unloader = Unloader(site)
    site.settle(_SETTLE_STEPS)
    start, begun, ended = site.time, time.process_time(), "time"
    times, unloaded = [], []
    for action in cycle(ACTIONS):
        if site.time - start >= seconds:
            break
        if not len(unloader.boxes()):
            ended = "empty"
            break
        try:
            unloader.perform(action, mode)
        except Diverged:
            ended = "diverged"
            break
        times.append(site.time - start)
        unloaded.append(len(site.unloaded))
    cpu = time.process_time() - begun
    found = scenario, mode, number, seconds, packets, tuple(times), tuple(unloaded), cpu, ended
    return Run(*found)


def read_rows(file: Path) -> list[Run]:
    """The runs in a file; a last line that was not written to its end is left out."""
    if not file.exists():
        return []
    runs = []
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if line.endswith("\n"):
            data = json.loads(line)
            data["times"], data["unloaded"] = tuple(data["times"]), tuple(data["unloaded"])
            runs.append(Run(**data))
    return runs


def write_row(file: Path, run: Run) -> None:
    """Add a run to a file; what a run that was killed has left of a line is removed."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if text and not text.endswith("\n"):
        file.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(asdict(run)) + "\n")


def missing(
    file: Path, scenarios: Sequence[str], runs: int, seconds: float, packets: int | None
) -> Iterator[tuple[str, str, int, float, int]]:
    """Yield what is not in the file yet, one load after the other in all modes; it is read anew each time."""
    for number in range(runs):
        for scenario in scenarios:
            for mode in MODES:
                key = scenario, mode, number, seconds, packets or LOADS[scenario].packets
                if key not in {run.key for run in read_rows(file)}:
                    yield key


def table(runs: Sequence[Run], seconds: float) -> list[dict[str, Any]]:
    """Rate, its standard deviation, real-time factor and error of each scenario and mode."""
    rows = []
    chosen = {(r.scenario, r.mode, r.number): r for r in runs if r.seconds == seconds}
    for scenario in LOADS:
        for mode in MODES:
            numbers = [n for s, m, n in chosen if (s, m) == (scenario, mode)]
            pairs = [
                (chosen[scenario, mode, n], base)
                for n in sorted(numbers)
                if (base := chosen.get((scenario, "HiFi", n))) is not None
            ]
            kept = [(a, b) for a, b in pairs if "diverged" not in (a.ended, b.ended)]
            if kept:
                rows.append(_row(scenario, mode, kept, len(pairs) - len(kept)))
    return rows


def _row(
    scenario: str, mode: str, pairs: Sequence[tuple[Run, Run]], diverged: int
) -> dict[str, Any]:
    own = [run for run, _ in pairs]
    rates = np.array([HOUR * run.count / run.times[-1] for run in own])
    error, low, high = relative_difference(
        [r.count for r in own], [b.count for _, b in pairs], [scenario] * len(own), 1
    )
    return {
        "scenario": scenario,
        "mode": mode,
        "runs": len(own),
        "diverged": diverged,
        "packets_per_hour": float(rates.mean()),
        "standard_deviation": float(rates.std(ddof=1)) if len(own) > 1 else None,
        "real_time_factor": sum(r.times[-1] for r in own) / sum(r.cpu for r in own),
        "error": error,
        "error_low": low,
        "error_high": high,
    }


def draw(runs: Sequence[Run], file: Path) -> None:
    """Write the figure: packets unloaded over time, each run a line."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    colours = dict(zip(MODES, ("0.3", "tab:blue", "tab:green", "tab:orange"), strict=True))
    names = sorted({run.scenario for run in runs})
    figure, axes = plt.subplots(
        1, len(names), figsize=(4.0 * len(names), 3.6), layout="constrained", squeeze=False
    )
    for at, name in zip(axes[0], names, strict=True):
        for run in (run for run in runs if run.scenario == name):
            label = run.mode if run.number == 0 else None
            at.step(
                *((0.0, *run.times), (0, *run.unloaded)),
                where="post",
                color=colours[run.mode],
                label=label,
                lw=0.8,
            )
        at.set_title(f"scenario {name}", fontsize=10)
        at.set_xlabel("simulated time [s]")
    axes[0][0].set_ylabel("packets unloaded")
    axes[0][0].legend(fontsize=8)
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=110)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, run what is missing, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=Path, required=True, help="file of the runs (JSON lines)")
    parser.add_argument("--scenarios", default="ABC", help="some of A, B, C (default: ABC)")
    parser.add_argument("--runs", type=int, default=10, help="loads of each scenario (default: 10)")
    parser.add_argument("--seconds", type=float, default=TEN_MINUTES, help="simulated, of each run")
    parser.add_argument("--packets", type=int, help="in each load; default: the scenario's")
    parser.add_argument("--wall", type=float, help="begin no run after so many seconds")
    parser.add_argument("--figure", type=Path, help="draw the runs to this file")
    given = parser.parse_args(arguments)
    end = None if given.wall is None else time.monotonic() + given.wall
    for key in missing(given.rows, given.scenarios, given.runs, given.seconds, given.packets):
        if end is not None and time.monotonic() >= end:
            break
        run = unload(*key)
        write_row(given.rows, run)
        print(f"{run.scenario} {run.mode} {run.number}: {run.count} packets", file=sys.stderr)
    runs = [run for run in read_rows(given.rows) if run.seconds == given.seconds]
    if given.figure is not None:
        draw(runs, given.figure)
    print(json.dumps({"machine": machine(), "rows": table(runs, given.seconds)}, indent=1))


if __name__ == "__main__":
    main()
