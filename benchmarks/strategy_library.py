"""Measures what a classifier's choice from a library of strategies brings on unseen loads of the truck.

After Tallavajhula et al. (2019), section 4.4. Strategies are planned and tried in AdFi-1 on loads to learn from. For
unseen ones, one is chosen by their looks, or by trying out in AdFi-1 besides, and judged in HiFi, on particles that
nothing was tried on. Simulated beliefs are stored in a folder, so that a later run continues from them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from kept_beliefs import CUT_OUT, Case, KeptBeliefs
from machine import machine
from strategies import UNSEEN, interval

from hetwin_truck.planning.belief import Strategy
from hetwin_truck.planning.choosing import (
    Chooser,
    LoadRates,
    StrategyLibrary,
    best_single,
)
from hetwin_truck.planning.evaluating import Evaluations, evaluate_in_order
from hetwin_truck.planning.library import features_at_start
from hetwin_truck.planning.particles import moves_within
from hetwin_truck.planning.search import Search

EXAMPLES = """examples:
  python benchmarks/strategy_library.py --keep truck_library --json
  python benchmarks/strategy_library.py --keep truck_library --deepest 0.15 --sleep
"""
PARTICLES = 2
"""Of a load to learn from."""
TRYING = 4
"""Of an unseen load when strategies are tried out."""
JUDGING = 6
"""Of an unseen load when strategies are judged; with fewer, what is best on each load is luck."""


@dataclass(frozen=True, slots=True)
class Job:
    """One load, the moves that it is planned with, and where its beliefs are kept."""

    load: int
    sleep: bool
    moves: tuple[str, ...]
    keep: Path

    def _kept(self, particles: int, mode: str = "AdFi-1", *, apart: bool = False) -> KeptBeliefs:
        return KeptBeliefs(Case(CUT_OUT, mode, self.sleep, self.load, particles, apart), self.keep)

    def plan(self, length: int, budget: float) -> Strategy | None:
        """Return the best whole strategy that a search finds."""
        search = Search(self._kept(PARTICLES).after, self.moves, length)
        search.run(budget)
        return next((node.strategy for node in search.complete_strategies()), None)

    def evaluate_all(self, strategies: Sequence[Strategy]) -> LoadRates:
        """Try all strategies, to learn from."""
        kept = self._kept(PARTICLES)
        return LoadRates(self._features(kept), tuple(kept.after(one).rate for one in strategies))

    def look(self) -> tuple[float, ...]:
        """Return what the robot sees of the load."""
        return self._features(self._kept(PARTICLES))

    def evaluate_in_order(self, ranked: Sequence[Strategy], budget: float) -> Evaluations:
        """Try strategies out before one is chosen."""
        return evaluate_in_order(self._kept(TRYING, apart=True).after, ranked, budget)

    def judge(self, strategies: Sequence[Strategy]) -> list[float]:
        """Return the packets per hour of all strategies."""
        kept = self._kept(JUDGING, "HiFi")
        return [kept.after(one).rate for one in strategies]

    def _features(self, kept: KeptBeliefs) -> tuple[float, ...]:
        file = self.keep / f"features_{self.load}.json"
        if not file.exists():
            part = file.with_suffix(".part")
            part.write_text(json.dumps(features_at_start(kept.beliefs())), encoding="utf-8")
            part.rename(file)
        return tuple(json.loads(file.read_text(encoding="utf-8")))


def measured(given: argparse.Namespace) -> dict[str, Any]:
    """Learn, choose, and compare with the best strategy of the library and the best single one."""
    of = given.sleep, moves_within(given.deepest), given.keep
    known = [Job(seed, *of) for seed in range(given.loads)]
    unseen = [Job(UNSEEN + seed, *of) for seed in range(given.unseen)]
    with ProcessPoolExecutor(max_workers=2) as pool:
        planned = [pool.submit(job.plan, given.length, given.budget) for job in known]
        found = dict.fromkeys(s for s in (p.result() for p in planned) if s is not None)
        if not found:
            return {"strategies": ()}
        tried = [pool.submit(job.evaluate_all, tuple(found)) for job in known]
        whole = StrategyLibrary(tuple(found), tuple(one.result() for one in tried))
        library = whole.reduced_to(given.strategies)
        chooser = Chooser(library)
        ranked = [chooser.ranked(look) for look in pool.map(Job.look, unseen)]
        trials = list(pool.map(Job.evaluate_in_order, unseen, ranked, repeat(given.trying)))
        judged = list(pool.map(Job.judge, unseen, repeat(library.strategies)))
    chosen = {
        "chosen": [t.best(otherwise=r[0]) for t, r in zip(trials, ranked, strict=True)],
        "by_looks": [r[0] for r in ranked],
        "single": [library.strategies[best_single(library.loads)]] * len(ranked),
    }
    return {
        "found": len(found),
        "strategies": library.strategies,
        "single": chosen["single"][0],
        "processor_s": float(np.mean([t.processor_s for t in trials])),
        **_compared(library.strategies, chosen, np.array(judged)),
    }


def _compared(
    strategies: Sequence[Strategy], chosen: Mapping[str, Sequence[Strategy]], worth: np.ndarray
) -> dict[str, Any]:
    """Compare choices with the best strategy on each load, and with the best single one.

    Args:
        strategies: of the library.
        chosen: for each load.
        worth: (loads, strategies) packets per hour.
    """
    loads = np.arange(len(worth))
    brought = {
        name: worth[loads, [strategies.index(one) for one in of]] for name, of in chosen.items()
    }
    brought["best"] = worth.max(axis=1)
    return {
        "rates": {name: float(of.mean()) for name, of in brought.items()},
        "of_best": _ratios(brought, "best"),
        "of_single": _ratios(brought, "single"),
        "loads": len(worth),
    }


def _ratios(brought: Mapping[str, np.ndarray], to: str) -> dict[str, list[float]]:
    """Return the ratios to one of them, with their 95 % intervals over the loads."""
    base = brought[to]
    return {
        name: [float(of.mean() / base.mean()), *interval(of, base)]
        for name, of in brought.items()
        if name != to
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line, simulate what is missing, print."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--loads", type=int, default=60, help="to learn from (default: 60)")
    parser.add_argument("--unseen", type=int, default=30, help="to choose for (default: 30)")
    parser.add_argument("--strategies", type=int, default=3, help="of the library (default: 3)")
    parser.add_argument("--length", type=int, default=3, help="moves of a strategy (default: 3)")
    parser.add_argument(
        "--budget", type=float, default=60.0, help="of each search in s (default: 60)"
    )
    parser.add_argument(
        "--trying", type=float, default=60.0, help="budget of trying out in s (default: 60)"
    )
    parser.add_argument(
        "--deepest", type=float, default=0.5, help="sweep into the packets in m (default: 0.5)"
    )
    parser.add_argument(
        "--keep", type=Path, default=Path("truck_library"), help="folder of beliefs"
    )
    parser.add_argument("--sleep", action="store_true", help="with the engine's sleep")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args(arguments)
    counts = given.loads, given.unseen, given.strategies, given.length
    if min(*counts, given.budget, given.trying) <= 0:
        parser.error("all counts and budgets must be above 0")
    on = machine()
    found = measured(given)
    if not found["strategies"]:
        print("error: no search came to a whole strategy; raise --budget", file=sys.stderr)
        return 1
    if given.json:
        print(json.dumps({"machine": on, **found}, indent=2))
        return 0
    for key, value in found.items():
        print(f"{key}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
