"""Unloads whole trucks in the modes of fidelity management: packets per hour and the fraction unloaded.

After Tallavajhula et al. (2019), figures 6 and 7, which stop after ten minutes. A robot picks and sweeps in turn until
nothing is within its reach or several actions in turn have unloaded nothing. What has been simulated is kept after each
action, so that a later run goes on from there: a whole load in full fidelity takes an hour or more.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from machine import machine
from truckload import Unloading, kept, unload

from hetwin_core.ensemble.errors import BadInput
from hetwin_fidelity import MODES
from hetwin_truck.packets import LOADS

EXAMPLES = """examples:
  python benchmarks/truckloads.py --scenario C --quick
  python benchmarks/truckloads.py --scenario C --mode HiFi --mode AdFi-1 --keep truckloads
  python benchmarks/truckloads.py --keep truckloads --stored --json
"""
QUICK_PACKETS = 40
PAPERS_S = 600.0
"""The paper's runs end after this simulated time [s]."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one load brought.

    Attributes:
        packets_per_hour: over the whole simulated time.
        packets_per_hour_at_first: over the paper's first ten minutes, or less where it ends earlier.
        fraction_unloaded: of the load.
        wall_s: wall time of the actions.
        processor_s: processor time of the actions.
        simulated_s: simulated time.
        ended: why; empty: the run was not finished.
    """

    scenario: str
    mode: str
    sleep: bool
    seed: int
    packets: int
    packets_per_hour: float
    packets_per_hour_at_first: float
    fraction_unloaded: float
    wall_s: float
    processor_s: float
    simulated_s: float
    actions: int
    diverged: int
    ended: str


def row_of(run: Unloading) -> Row:
    """Return what a run brought so far."""
    simulated, count = sum(run.times[-1:]), sum(run.unloaded)
    first = [i for i, at in enumerate(run.times) if at <= PAPERS_S] or [0]
    early = sum(run.unloaded[: first[-1] + 1])
    return Row(
        run.scenario,
        run.mode,
        run.sleep,
        run.seed,
        run.packets,
        _hourly(count, simulated),
        _hourly(early, run.times[first[-1]] if run.times else 0.0),
        count / run.packets,
        run.wall_s,
        run.processor_s,
        simulated,
        len(run.times),
        run.diverged,
        run.ended,
    )


def _hourly(count: int, seconds: float) -> float:
    return 3600 * count / seconds if seconds else 0.0


def _print(on: dict[str, Any], rows: Sequence[Row]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}\n")
    times = "simulated [s] | processor time [s] | wall time [s] | ended"
    print(
        f"| scenario | mode | engine sleep | load | packets per hour | first ten minutes | unloaded | {times} |"
    )
    print("|" + "---|" * 11)
    for r in rows:
        print(
            f"| {r.scenario} | {r.mode} | {'on' if r.sleep else 'off'} | {r.seed} | {r.packets_per_hour:.0f}"
            f" | {r.packets_per_hour_at_first:.0f} | {100 * r.fraction_unloaded:.1f} % of {r.packets}"
            f" | {r.simulated_s:.0f} | {r.processor_s:.0f} | {r.wall_s:.0f} | {r.ended or 'not yet'} |"
        )


def _runs(given: argparse.Namespace) -> Iterator[Unloading]:
    """Go on with all runs that were asked for, one after the other, until the time is over."""
    end = time.monotonic() + given.limit
    for seed in range(given.seed, given.seed + given.loads):
        for scenario in sorted(set(given.scenario or "C")):
            packets = QUICK_PACKETS if given.quick else LOADS[scenario].packets
            for mode in [mode for mode in MODES if mode in (given.mode or MODES)]:
                run = kept(given.keep, Unloading(scenario, mode, given.sleep, seed, packets))
                if not given.stored and time.monotonic() < end:
                    for _ in unload(run, given.keep):
                        if time.monotonic() >= end:
                            break
                yield run


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, unload, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", action="append", choices=sorted(LOADS), help="default: C")
    parser.add_argument("--mode", action="append", choices=list(MODES), help="default: all")
    parser.add_argument("--sleep", action="store_true", help="with the engine's sleeping")
    parser.add_argument("--loads", type=int, default=1, help="per scenario (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="of the first load (default: 0)")
    parser.add_argument(
        "--limit",
        type=float,
        default=3000.0,
        help="begin no action after so many s (default: 3000)",
    )
    parser.add_argument("--keep", type=Path, help="folder of what was simulated, to go on from")
    parser.add_argument(
        "--stored", action="store_true", help="simulate nothing: print what is kept"
    )
    parser.add_argument("--quick", action="store_true", help="small loads: a look, no result")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.loads < 1 or given.seed < 0 or not given.limit > 0:
        parser.error("--loads and --limit must be above 0, --seed at least 0")
    if given.stored and given.keep is None:
        parser.error("--stored needs --keep")
    on = machine()
    try:
        rows = [row_of(run) for run in _runs(given) if run.times]
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if given.json:
        found = [asdict(row) for row in rows]
        print(json.dumps({"machine": on, "quick": given.quick, "rows": found}, indent=2))
    else:
        _print(on, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
