"""Measures what fidelity management brings to planning: strategies found and their worth, over processor time.

After figure 8 of Tallavajhula et al. (2019). In each mode the same search plans on the same loads and particles; what
it has found at each budget is judged in HiFi on loads and particles that were not planned on. Simulated beliefs are
stored with their processor time in a folder, so that a later run continues from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from kept_beliefs import Case, KeptBeliefs
from machine import machine

from hetwin_truck.planning.belief import Strategy
from hetwin_truck.planning.particles import MOVES
from hetwin_truck.planning.search import Progress, Search

EXAMPLES = """examples:
  python benchmarks/strategies.py --quick
  python benchmarks/strategies.py --keep truck_strategies --json > strategies.json
  python benchmarks/strategies.py --keep truck_strategies --picture strategies.png
"""
MODES = ("HiFi", "AdFi-1")
UNSEEN = 1000
"""Seeds of loads to judge on; those of loads to plan on are smaller."""
DRAWS = 5000
QUICK = {
    "scenario": "small",
    "plans": 1,
    "loads": 2,
    "particles": 1,
    "length": 2,
    "budgets": [3.0, 6.0],
}
"""What is measured where options do not say it, with --quick."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    Attributes:
        scenario: of the truck.
        plans: number of loads that are planned on.
        loads: number of loads that strategies are judged on.
        particles: of a belief.
        length: moves of a strategy.
        budgets: processor times of one search [s], ascending.
    """

    scenario: str
    plans: int
    loads: int
    particles: int
    length: int
    budgets: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One mode at one budget; the rate [packets per hour] with its 95 % interval over searches and loads.

    Attributes:
        nodes: simulated beliefs, mean of the searches.
        strategies: whole strategies among them, mean of the searches.
        loads: number of loads judged on.
    """

    scenario: str
    mode: str
    sleep: bool
    budget_s: float
    nodes: float
    strategies: float
    rate: float | None
    rate_low: float | None
    rate_high: float | None
    loads: int


@dataclass(frozen=True, slots=True)
class Gain:
    """AdFi-1 over HiFi at one budget: ratios of nodes and of rates, these with their 95 % interval."""

    scenario: str
    sleep: bool
    budget_s: float
    nodes: float | None
    rate: float | None
    rate_low: float | None
    rate_high: float | None


def plan(size: Size, mode: str, sleep: bool, load: int, keep: Path) -> list[Progress]:
    """Search on one load, to the largest budget."""
    case = Case(size.scenario, mode, sleep, load, size.particles)
    search = Search(KeptBeliefs(case, keep).after, MOVES, size.length)
    search.run(size.budgets[-1])
    return search.progress


def judge(
    size: Size, load: int, strategies: Sequence[Strategy], keep: Path
) -> dict[Strategy, float]:
    """Return the packets per hour of strategies on an unseen load."""
    kept = KeptBeliefs(Case(size.scenario, "HiFi", False, UNSEEN + load, 1), keep)
    return {strategy: kept.after(strategy).rate for strategy in strategies}


def found_at(
    steps: Sequence[Progress], budget: float, length: int
) -> tuple[int, int, Strategy | None]:
    """Return beliefs, whole strategies and the best one at a budget; the moves of a part of one are repeated."""
    within = [step for step in steps if step.processor_s <= budget]
    if not within:
        return 0, 0, None
    moves = within[-1].best.strategy
    whole = tuple(moves[i % len(moves)] for i in range(length))
    return within[-1].nodes, within[-1].strategies, whole


def interval(rates: np.ndarray, over: np.ndarray | None = None) -> tuple[float, float]:
    """Return the 95 % interval of a mean, or of the ratio of two means, by bootstrap.

    Args:
        rates: (loads,) or (searches, loads); searches and loads are both drawn again (Owen 2007, the pigeonhole
            bootstrap), since another search would have found something else.
        over: of the same searches and loads.
    """
    random, (searches, loads) = np.random.default_rng(8), np.atleast_2d(rates).shape
    columns = random.integers(0, loads, (DRAWS, 1, loads))
    drawn = random.integers(0, searches, (DRAWS, searches, 1)), columns
    means = np.atleast_2d(rates)[drawn].mean(axis=(1, 2))
    if over is not None:
        means = means / np.atleast_2d(over)[drawn].mean(axis=(1, 2))
    low, high = np.quantile(means, (0.025, 0.975))
    return float(low), float(high)


class Measured:
    """All searches, and all that they found judged."""

    def __init__(self, size: Size, sleeps: Sequence[bool], keep: Path, jobs: int) -> None:
        self._size = size
        self.cases = [(mode, sleep) for sleep in sleeps for mode in MODES]
        with ProcessPoolExecutor(max_workers=jobs) as pool:
            planned = {
                (case, load): pool.submit(plan, size, *case, load, keep)
                for load in range(size.plans)
                for case in self.cases
            }
            self._steps = {key: job.result() for key, job in planned.items()}
            wanted = sorted(
                {s for case in self.cases for b in size.budgets for s in self._best(case, b)}
            )
            judged = [pool.submit(judge, size, load, wanted, keep) for load in range(size.loads)]
            self._rates = [job.result() for job in judged]

    def _found(
        self, case: tuple[str, bool], budget: float
    ) -> list[tuple[int, int, Strategy | None]]:
        length = self._size.length
        return [found_at(self._steps[case, i], budget, length) for i in range(self._size.plans)]

    def _best(self, case: tuple[str, bool], budget: float) -> list[Strategy]:
        return [best for _, _, best in self._found(case, budget) if best is not None]

    def rates(self, case: tuple[str, bool], budget: float) -> np.ndarray | None:
        """Return packets per hour, (searches, loads), on each unseen load; None if a search has found nothing."""
        best = self._best(case, budget)
        if len(best) < self._size.plans:
            return None
        return np.array([[of[strategy] for of in self._rates] for strategy in best])

    def nodes(self, case: tuple[str, bool], budget: float) -> tuple[float, float]:
        """Return beliefs and whole strategies, means of the searches."""
        found = self._found(case, budget)
        return float(np.mean([f[0] for f in found])), float(np.mean([f[1] for f in found]))

    def rows(self) -> list[Row]:
        """Return a row for each mode and budget."""
        return [self._row(case, budget) for case in self.cases for budget in self._size.budgets]

    def _row(self, case: tuple[str, bool], budget: float) -> Row:
        rates, (nodes, strategies) = self.rates(case, budget), self.nodes(case, budget)
        rate, low, high = None, None, None
        if rates is not None:
            rate, (low, high) = float(rates.mean()), interval(rates)
        of, (mode, sleep), loads = self._size.scenario, case, self._size.loads
        return Row(of, mode, sleep, budget, nodes, strategies, rate, low, high, loads)

    def gains(self) -> list[Gain]:
        """Return a gain for each setting of sleep and each budget."""
        sleeps = dict.fromkeys(sleep for _, sleep in self.cases)
        return [self._gain(sleep, budget) for sleep in sleeps for budget in self._size.budgets]

    def _gain(self, sleep: bool, budget: float) -> Gain:
        high, low = ("HiFi", sleep), ("AdFi-1", sleep)
        of, other = self.nodes(low, budget)[0], self.nodes(high, budget)[0]
        one, base = self.rates(low, budget), self.rates(high, budget)
        worth: tuple[float | None, ...] = (None, None, None)
        if one is not None and base is not None and base.mean() > 0:
            worth = (float(one.mean() / base.mean()), *interval(one, base))
        return Gain(self._size.scenario, sleep, budget, of / other if other else None, *worth)


def draw(rows: Sequence[Row], picture: Path) -> None:
    """Draw beliefs and rates over the budget, as figure 8 of the paper does."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for mode, sleep in dict.fromkeys((r.mode, r.sleep) for r in rows):
        own = [r for r in rows if (r.mode, r.sleep) == (mode, sleep)]
        style: dict[str, Any] = {
            "color": {"HiFi": "tab:blue", "AdFi-1": "tab:orange"}[mode],
            "linestyle": "--" if sleep else "-",
            "label": f"{mode}, engine sleep {'on' if sleep else 'off'}",
        }
        left.plot([r.budget_s for r in own], [r.nodes for r in own], marker="o", **style)
        known = [r for r in own if r.rate is not None]
        right.plot([r.budget_s for r in known], [r.rate for r in known], marker="o", **style)
        ends = ([r.rate_low for r in known], [r.rate_high for r in known])
        right.fill_between([r.budget_s for r in known], *ends, color=style["color"], alpha=0.12)
    left.set(xlabel="processor time of the search [s]", ylabel="beliefs")
    right.set(xlabel="processor time of the search [s]", ylabel="packets per hour, in HiFi")
    for axes in (left, right):
        axes.grid(alpha=0.3)
    left.legend()
    figure.tight_layout()
    figure.savefig(picture, dpi=120)


def read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--scenario", choices=("A", "B", "C", "small"), default="A")
    parser.add_argument("--plans", type=int, default=2, help="loads to plan on (default: 2)")
    parser.add_argument("--loads", type=int, default=10, help="loads to judge on (default: 10)")
    parser.add_argument("--particles", type=int, default=3, help="of a belief (default: 3)")
    parser.add_argument("--length", type=int, default=4, help="moves of a strategy (default: 4)")
    parser.add_argument(
        "--budgets", type=float, nargs="+", default=[50, 100, 200, 400], help="processor times in s"
    )
    parser.add_argument(
        "--sleep", choices=("off", "on", "both"), default="both", help="engine sleep"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("truck_strategies"), help="folder of beliefs"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument(
        "--quick", action="store_true", help="other defaults, a small load: a look, no result"
    )
    parser.add_argument("--picture", type=Path, help="draw it there")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    given = parser.parse_args(arguments)
    if given.quick:
        parser.set_defaults(**QUICK)
        given = parser.parse_args(arguments)
    counts = (given.plans, given.loads, given.particles, given.length, given.jobs)
    if min(counts) <= 0 or not all(isfinite(budget) and budget > 0 for budget in given.budgets):
        parser.error("all counts and --budgets must be above 0")
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, simulate what is missing, print."""
    given = read_arguments(arguments)
    if given.picture is not None and find_spec("matplotlib") is None:
        print(
            "error: matplotlib is missing; install the extra: pip install 'hetwin-suite[benchmarks]'",
            file=sys.stderr,
        )
        return 2
    budgets = tuple(sorted(given.budgets))
    size = Size(given.scenario, given.plans, given.loads, given.particles, given.length, budgets)
    on = machine()
    sleeps = {"off": [False], "on": [True], "both": [False, True]}[given.sleep]
    measured = Measured(size, sleeps, given.keep, given.jobs)
    rows, gains = measured.rows(), measured.gains()
    if given.picture is not None:
        draw(rows, given.picture)
    if given.json:
        found = {"rows": [asdict(r) for r in rows], "gains": [asdict(g) for g in gains]}
        print(json.dumps({"machine": on, "size": asdict(size), **found}, indent=2))
        return 0
    print(f"{on['processor']}, {on['cores']} cores, load {on['load_before']:.1f}, {on['date']}")
    print("| mode | engine sleep | budget [s] | beliefs | strategies | packets per hour |")
    print("|---|---|---|---|---|---|")
    for r in rows:
        rate = "" if r.rate is None else f"{r.rate:.0f} ({r.rate_low:.0f} to {r.rate_high:.0f})"
        sleep = "on" if r.sleep else "off"
        print(
            f"| {r.mode} | {sleep} | {r.budget_s:g} | {r.nodes:.1f} | {r.strategies:.1f} | {rate} |"
        )
    print("\n| engine sleep | budget [s] | beliefs, AdFi-1 to HiFi | rates, AdFi-1 to HiFi |")
    print("|---|---|---|---|")
    for g in gains:
        nodes = "" if g.nodes is None else f"{g.nodes:.2f}"
        rate = "" if g.rate is None else f"{g.rate:.2f} ({g.rate_low:.2f} to {g.rate_high:.2f})"
        print(f"| {'on' if g.sleep else 'off'} | {g.budget_s:g} | {nodes} | {rate} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
