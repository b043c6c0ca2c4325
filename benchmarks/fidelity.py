"""Measures the speedup and the error of unloading a truck with task-informed fidelity.

After figures 4 and 7 of Tallavajhula et al. (2019). Ten minutes of unloading in full fidelity
would take over an hour, so pairs are compared: from the same saved states the same action is performed in every
mode, with the engine's sleeping disabled and enabled, and the unloaded packets are counted. `error` is the relative
difference to HiFi without sleep, summed over all states, with its 95 % interval. Real-time factors are simulated
time over processor time of the single thread, so that other load on the machine has less influence.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import fidelity_curve as curve
from fidelity_pairs import CHAIN, Row, State, chain, rows_of
from machine import machine

from hetwin_fidelity import MARGIN
from hetwin_truck.packets import LOADS

EXAMPLES = """examples:
  python benchmarks/fidelity.py --quick
  python benchmarks/fidelity.py --scenario B --states 10
  python benchmarks/fidelity.py --json --figures docs/pictures > fidelity.json
"""
QUICK_PACKETS = 60


def measure(
    scenarios: Sequence[str],
    count: int,
    packets: int | None,
    margin: float,
    seconds: float,
    seed: int,
) -> list[State]:
    """Measure from at least `count` states of each scenario, unless the time is over; two at a time."""
    end = time.monotonic() + seconds
    numbers = range(seed, seed + -(-count // CHAIN))
    # Interleaved, so that all scenarios progress equally; the longest one first.
    order = sorted(scenarios, key=lambda name: -LOADS[name].packets)
    with ProcessPoolExecutor(max_workers=2) as pool:
        jobs = [
            pool.submit(chain, scenario, number, min(CHAIN, count), packets, margin, end)
            for number in numbers
            for scenario in order
        ]
        return [state for job in jobs for state in job.result()]


def points(counts: Sequence[int], steps: int) -> list[curve.Point]:
    """Measure the curve over the number of objects, one point after the other."""
    # In a separate process, with fresh memory.
    with ProcessPoolExecutor(max_workers=1) as pool:
        cases = [(count, sleep) for count in counts for sleep in (False, True)]
        return [pool.submit(curve.point, *case, steps).result() for case in cases]


def _print(on: dict[str, Any], rows: Sequence[Row], told: Sequence[curve.Point]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}\n")
    print(
        "| scenario | mode | engine sleep | real-time factor | over HiFi without sleep | over HiFi alike"
        " | while things move | error (95 % interval) | states | diverged |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for r in rows:
        speed = f"{r.real_time_factor:.2f} | {r.speedup:.2f} | {r.speedup_alike:.2f}"
        error = f"{100 * r.error:+.1f} % ({100 * r.error_low:+.1f} to {100 * r.error_high:+.1f})"
        print(
            f"| {r.scenario} | {r.mode} | {'on' if r.sleep else 'off'} | {speed}"
            f" | {r.speedup_moving:.2f} | {error} | {r.states} | {r.diverged} |"
        )
    print(
        "\n| objects | engine sleep | all high [ms] | rest medium [ms] | rest low [ms]"
        " | switch 100 [ms] |"
    )
    print("|---|---|---|---|---|---|")
    for p in told:
        times = f"{p.high:.2f} | {p.medium:.2f} | {p.low:.2f} | {p.switch:.2f}"
        print(f"| {p.objects} | {'on' if p.sleep else 'off'} | {times} |")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, measure, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", action="append", choices=sorted(LOADS), help="default: all")
    parser.add_argument("--states", type=int, default=60, help="per scenario (default: 60)")
    parser.add_argument("--seed", type=int, default=0, help="of the loads (default: 0)")
    parser.add_argument(
        "--margin",
        type=float,
        default=MARGIN,
        help=f"distance at which a moving object raises others (default: {MARGIN:g} m);"
        " 0: as in Tallavajhula et al. (2019)",
    )
    parser.add_argument(
        "--quick", action="store_true", help="small loads and two states: a look, no result"
    )
    parser.add_argument(
        "--limit", type=float, default=2700.0, help="begin no state after so many s (default: 2700)"
    )
    parser.add_argument(
        "--figures", type=Path, help="write pictures into this folder (needs matplotlib)"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.states < 1 or given.seed < 0 or given.limit <= 0 or not given.margin >= 0:
        parser.error("--states and --limit must be above 0, --seed and --margin at least 0")
    count, packets = (2, QUICK_PACKETS) if given.quick else (given.states, None)
    on = machine()
    scenarios = sorted(set(given.scenario or LOADS))
    states = measure(scenarios, count, packets, given.margin, given.limit, given.seed)
    rows = [
        row
        for scenario in scenarios
        for row in rows_of(scenario, [s for s in states if s.scenario == scenario], given.seed)
    ]
    pooled = rows_of("all", states, given.seed) if len(scenarios) > 1 else []
    counts, steps = (curve.COUNTS[:3], 10) if given.quick else (curve.COUNTS, 30)
    told = points(counts, steps)
    if given.figures is not None:
        from fidelity_figures import draw

        draw(rows, states, given.figures)
    if given.json:
        tables = {
            "rows": [asdict(r) for r in rows],
            "pooled": [asdict(r) for r in pooled],
            "curve": [asdict(p) for p in told],
        }
        print(json.dumps({"machine": on, "quick": given.quick, **tables}, indent=2))
    else:
        _print(on, [*rows, *pooled], told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
