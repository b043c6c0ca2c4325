"""What futures cost: against the plain run, their overhead, and by physics alone; all in one process, in turn.

Needs a recorded drop (`hetwin record drop`), at a moment after the ball was let go.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from machine import machine

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_futures.forecast import Forecast
from hetwin_futures.predicting import predict
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study

SHORT_S = 0.0025
"""A future of one step costs its fork, its draw, its end and its judgement, and one step."""


def main() -> int:
    """Measure; prints a row per round, or all as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("episode", type=Path, help="folder of a recorded drop")
    parser.add_argument("--scenario", default="uncertain_environment")
    parser.add_argument("--at", type=float, default=6.6, help="moment [s]")
    parser.add_argument("--horizon", type=float, default=1.3, help="[s]")
    parser.add_argument("--futures", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    scenario = load_scenario(find_scenario(given.scenario))
    options = RunOptions(source=str(given.episode))

    def cost(horizon_s: float, *, physics_only: bool = False) -> Forecast:
        study = Study(scenario, options, horizon_s=horizon_s, jobs=given.jobs)
        moment = Moment(at_s=given.at)
        return predict(study, moment, given.futures, physics_only=physics_only)

    rows = []
    for _ in range(given.rounds):
        plain, whole, one = _plain_s(scenario, options), cost(given.horizon), cost(SHORT_S)
        alone = cost(given.horizon, physics_only=True)
        each, fork = _each_s(whole), _each_s(one)
        row = {
            "plain_s_per_s": plain,
            "future_s_per_s": (each - fork) / given.horizon,
            "future_to_plain": (each - fork) / given.horizon / plain,
            "fork_ms": fork * 1e3,
            "wall_s": whole.wall_s,
            "alone_ms": _each_s(alone) * 1e3,
            "alone_times_as_many": each / _each_s(alone),
            "alone_times_with_both_beside": whole.processor_s / alone.processor_s,
            "failed": len(whole.failed) + len(alone.failed),
        }
        rows.append(row)
        if not given.json:
            print(", ".join(f"{name} {value:.3g}" for name, value in row.items()), flush=True)
    if given.json:
        print(json.dumps({"machine": machine(), "rows": rows}, indent=2))
    return 0


def _plain_s(scenario: Scenario, options: RunOptions) -> float:
    """Processor time of a run without listeners per simulated second, its start not counted [s/s]."""
    conductor = session(scenario, options=options)
    conductor.prepare()
    begun = time.process_time()
    summary = conductor.run()
    return (time.process_time() - begun) / summary.simulated_time


def _each_s(forecast: Forecast) -> float:
    """Median processor time of a future [s]."""
    return statistics.median(one.processor_s for one in forecast.finished)


if __name__ == "__main__":
    raise SystemExit(main())
