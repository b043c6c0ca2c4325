"""Measures how much faster a truck is unloaded with task-informed fidelity, and how far the result is off.

After figure 7 of the paper on task-informed fidelity management. Ten minutes of unloading in full fidelity would
take over an hour, so pairs are compared: from the same saved states the same action is done in every mode, with
the engine's own sleep off and on, and the packets unloaded are counted. `error` is the difference to HiFi without
sleep, summed over all states, as a share of it, with its 95 % interval (bootstrap over the states). Real-time
factors are simulated time over processor time of the one thread, so that other load on the machine counts less.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from real_time_factor import machine

from hetwin_suite.ensemble.fidelity import Fidelity
from hetwin_suite.model_nodes.fidelity.near_robot import MODES
from hetwin_suite.proving_ground.truck.actions import ACTIONS, Unloader
from hetwin_suite.proving_ground.truck.packets import LOADS, Load, draw_load
from hetwin_suite.proving_ground.truck.site import Site

EXAMPLES = """examples:
  python benchmarks/fidelity.py --quick
  python benchmarks/fidelity.py --scenario B --states 10
  python benchmarks/fidelity.py --json --figures docs/pictures > fidelity.json
"""
QUICK_PACKETS = 120
CURVE = (10, 30, 100, 300, 1000, 3000)
ACTIVE = 50
"""Objects that stay in high fidelity in the curve over the number of objects."""
FEW_LEFT = 20
RESAMPLES = 2000


@dataclass(slots=True)
class Tally:
    """One mode in one scenario: what it unloaded from each state, and what it took."""

    unloaded: list[int] = field(default_factory=list)
    simulated: float = 0.0
    cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """What is printed of one mode.

    `speedup` is over HiFi without sleep, `speedup_alike` over HiFi with the same sleep.
    """

    scenario: str
    mode: str
    sleep: bool
    real_time_factor: float
    speedup: float
    speedup_alike: float
    error: float
    error_low: float
    error_high: float
    unloaded: int
    states: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """Milliseconds per step with so many objects, and for switching 100 of them (or all)."""

    objects: int
    sleep: bool
    high: float
    medium: float
    low: float
    switch: float


def measure(scenario: str, states: int, packets: int | None, end: float, seed: int) -> list[Row]:
    """Do the same actions in all modes from `states` states of a scenario; start none after `end`."""
    tallies = {(mode, sleep): Tally() for sleep in (False, True) for mode in MODES}
    random = np.random.default_rng([seed, ord(scenario)])
    sites: dict[bool, tuple[Site, Unloader]] = {}
    state: object = None
    for number in range(states):
        if number > 1 and time.monotonic() > end:
            break
        if state is None or len(sites[False][0].in_truck()) < FEW_LEFT:
            sites = _sites(scenario, packets, random)
            state = _settled(sites[False][0])
        action = ACTIONS[number % 2]
        following: object = None
        for (mode, sleep), tally in tallies.items():
            site, unloader = sites[sleep]
            site.restore(state)
            outcome = unloader.perform(action, mode)
            tally.unloaded.append(len(outcome.unloaded))
            tally.simulated += outcome.simulated
            tally.cpu += outcome.cpu
            if (mode, sleep) == ("AdFi-1", False):
                following = site.save()
        state = following
        counts = " ".join(
            f"{m}{'+sleep' if s else ''} {t.unloaded[-1]}" for (m, s), t in tallies.items()
        )
        print(
            f"{scenario}, state {number + 1} of {states}, {action}: {counts}",
            file=sys.stderr,
            flush=True,
        )
    return _rows(scenario, tallies, seed)


def _sites(
    scenario: str, packets: int | None, random: np.random.Generator
) -> dict[bool, tuple[Site, Unloader]]:
    load = LOADS[scenario]
    drawn = draw_load(Load(packets or load.packets, load.height), random)
    sites = {sleep: Site(drawn, sleep=sleep) for sleep in (False, True)}
    return {sleep: (site, Unloader(site)) for sleep, site in sites.items()}


def _settled(site: Site) -> object:
    for _ in range(100):
        site.step(site.joints)
    return site.save()


def _rows(scenario: str, tallies: dict[tuple[str, bool], Tally], seed: int) -> list[Row]:
    base = tallies["HiFi", False]
    rows = []
    for (mode, sleep), tally in tallies.items():
        error, low, high = error_of(tally.unloaded, base.unloaded, seed)
        alike = tallies["HiFi", sleep]
        rows.append(
            Row(
                scenario,
                mode,
                sleep,
                tally.simulated / tally.cpu,
                base.cpu / tally.cpu,
                alike.cpu / tally.cpu,
                error,
                low,
                high,
                sum(tally.unloaded),
                len(tally.unloaded),
            )
        )
    return rows


def error_of(one: Sequence[int], base: Sequence[int], seed: int) -> tuple[float, float, float]:
    """Share by which the sum of `one` differs from that of `base`, and its 95 % interval over pairs."""
    pairs = np.array([one, base], np.float64)
    picked = np.random.default_rng(seed).integers(0, len(base), (RESAMPLES, len(base)))
    sums = pairs[:, picked].sum(axis=2)
    whole = float(pairs[0].sum() / max(pairs[1].sum(), 1.0) - 1.0)
    shares = sums[0] / np.maximum(sums[1], 1.0) - 1.0
    low, high = np.percentile(shares, [2.5, 97.5])
    return whole, float(low), float(high)


def curve(counts: Sequence[int], steps: int) -> Iterator[CurvePoint]:
    """Time of a step over the number of packets at rest, of which `ACTIVE` at most stay high."""
    for count in counts:
        for sleep in (False, True):
            site = Site(draw_load(Load(count, 2.2), np.random.default_rng(count)), sleep=sleep)
            engine, names = site.engine, [p.name for p in site.packets]
            back = names[min(ACTIVE, count // 2) :]
            _settled(site)
            high = _milliseconds(site, steps)
            engine.set_fidelity(back, Fidelity.MEDIUM)
            medium = _milliseconds(site, steps)
            engine.set_fidelity(back, Fidelity.LOW)
            low = _milliseconds(site, steps)
            engine.set_fidelity(names, Fidelity.HIGH)
            yield CurvePoint(count, sleep, high, medium, low, _switching(site, names[:100]))


def _milliseconds(site: Site, steps: int) -> float:
    site.step(site.joints)
    begun = time.process_time()
    for _ in range(steps):
        site.step(site.joints)
    return 1e3 * (time.process_time() - begun) / steps


def _switching(site: Site, names: list[str]) -> float:
    """Median time to switch these packets to another level [ms]."""
    taken = []
    site.step(site.joints)
    for level in (Fidelity.MEDIUM, Fidelity.LOW, Fidelity.HIGH) * 7:
        begun = time.perf_counter()
        site.engine.set_fidelity(names, level)
        taken.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(taken)


def timeline(packets: int | None) -> dict[str, list[float]]:
    """Real-time factor of each tenth of a second during one pick from scenario A, per mode."""
    found: dict[str, list[float]] = {}
    sites = _sites("A", packets, np.random.default_rng(0))
    site, unloader = sites[False]
    state = _settled(site)
    for mode in MODES:
        site.restore(state)
        found[mode] = unloader.perform("pick", mode).factors
    return found


def draw(rows: Sequence[Row], factors: dict[str, list[float]], folder: Path) -> None:
    """Write the figures: real-time factor over time, error over real-time factor."""
    import matplotlib as mpl

    mpl.use("agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for mode, told in factors.items():
        axes.plot(0.1 * np.arange(1, len(told) + 1), told, label=mode)
    axes.set(xlabel="simulated time [s]", ylabel="real-time factor", title="One pick, scenario A")
    axes.set_yscale("log")
    axes.legend()
    figure.savefig(folder / "fidelity_over_time.png", dpi=120)
    scenarios = sorted({row.scenario for row in rows})
    figure, all_axes = plt.subplots(
        1,
        len(scenarios),
        figsize=(3.4 * len(scenarios), 3.4),
        sharey=True,
        layout="constrained",
        squeeze=False,
    )
    for scenario, axes in zip(scenarios, all_axes[0], strict=True):
        for row in (r for r in rows if r.scenario == scenario):
            bars = [[100 * (row.error - row.error_low)], [100 * (row.error_high - row.error)]]
            label = row.mode + (", sleep" if row.sleep else "")
            axes.errorbar(
                [row.real_time_factor],
                [100 * row.error],
                bars,
                fmt="s" if row.sleep else "o",
                label=label,
            )
        axes.set(xlabel="real-time factor", title=f"Scenario {scenario}")
        axes.axhspan(-10, 10, color="0.92", zorder=0)
    all_axes[0][0].set_ylabel("error of packets unloaded [%]")
    all_axes[0][-1].legend(fontsize=6)
    figure.savefig(folder / "fidelity_error.png", dpi=120)


def _print(on: dict[str, Any], rows: Sequence[Row], points: Sequence[CurvePoint]) -> None:
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}\n")
    print(
        "| scenario | mode | engine sleep | real-time factor | speed-up | over HiFi alike | error | states |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for r in rows:
        error = f"{100 * r.error:+.1f} % ({100 * r.error_low:+.1f} to {100 * r.error_high:+.1f})"
        speed = f"{r.real_time_factor:.2f} | {r.speedup:.2f} | {r.speedup_alike:.2f}"
        print(
            f"| {r.scenario} | {r.mode} | {'on' if r.sleep else 'off'} | {speed} | {error} | {r.states} |"
        )
    print(
        "\n| objects | engine sleep | all high [ms] | rest medium [ms] | rest low [ms] | switch 100 [ms] |"
    )
    print("|---|---|---|---|---|---|")
    for p in points:
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
    parser.add_argument("--states", type=int, default=40, help="per scenario (default: 40)")
    parser.add_argument("--seed", type=int, default=0, help="of loads and resampling (default: 0)")
    parser.add_argument(
        "--quick", action="store_true", help="small loads and two states: a look, no result"
    )
    parser.add_argument(
        "--limit", type=float, default=2500.0, help="start no state after so many s (default: 2500)"
    )
    parser.add_argument(
        "--figures", type=Path, help="write pictures into this folder (needs matplotlib)"
    )
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.states < 1:
        parser.error(f"--states: found {given.states}, expected at least 1")
    states, packets = (2, QUICK_PACKETS) if given.quick else (given.states, None)
    on, end = machine(), time.monotonic() + given.limit
    # The longest scenario first, so that two processes end at about the same time.
    order = sorted(given.scenario or LOADS, key=lambda name: -LOADS[name].packets)
    with ProcessPoolExecutor(max_workers=2) as pool:
        jobs = {s: pool.submit(measure, s, states, packets, end, given.seed) for s in order}
        rows = [row for s in sorted(jobs) for row in jobs[s].result()]
    points = list(curve(CURVE[:3] if given.quick else CURVE, 10 if given.quick else 30))
    if given.figures is not None:
        draw(rows, timeline(packets), given.figures)
    if given.json:
        tables = {"rows": [asdict(r) for r in rows], "curve": [asdict(p) for p in points]}
        print(json.dumps({"machine": on, "quick": given.quick, **tables}, indent=2))
    else:
        _print(on, rows, points)
    return 0


if __name__ == "__main__":
    sys.exit(main())
