"""Plans a strategy for a load of the truck.

`python -m hetwin_suite.proving_ground.truck.planning.plan A --budget 600`
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import asdict

from hetwin_suite.proving_ground.truck.packets import LOADS
from hetwin_suite.proving_ground.truck.planning.belief import Beliefs
from hetwin_suite.proving_ground.truck.planning.particles import MOVES
from hetwin_suite.proving_ground.truck.planning.search import Search
from hetwin_suite.proving_ground.truck.world import scenario_packets
from model_nodes.fidelity.near_robot import MODES

LENGTH = 4
PARTICLES = 4
SMALL = "small"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, plan, and print the best strategy found."""
    parser = argparse.ArgumentParser(
        prog="python -m hetwin_suite.proving_ground.truck.planning.plan",
        description="Plan a strategy that unloads most packets per hour.",
    )
    parser.add_argument("load", choices=[*LOADS, SMALL], help="which load")
    parser.add_argument("--mode", choices=list(MODES), default="AdFi-1", help="of fidelity")
    parser.add_argument("--sleep", action="store_true", help="with the engine's sleep")
    parser.add_argument("--budget", type=float, required=True, help="processor time [s]")
    parser.add_argument("--particles", type=int, default=PARTICLES)
    parser.add_argument("--length", type=int, default=LENGTH, help="moves of a strategy")
    parser.add_argument("--seed", type=int, default=0, help="of the load and the particles")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if not (given.budget > 0 and math.isfinite(given.budget)):
        parser.error(f"--budget: found {given.budget:g}, expected a time above 0 s")
    if given.particles < 1 or given.length < 1 or given.seed < 0:
        parser.error("--particles and --length must be at least 1, --seed at least 0")
    packets = scenario_packets(given.load, given.seed)
    beliefs = Beliefs(packets, given.particles, given.mode, (given.seed,), sleep=given.sleep)
    search = Search(beliefs.after, MOVES, given.length)
    best = search.run(given.budget)
    if not best.strategy:
        parser.exit(
            1, f"error: no belief was simulated within {given.budget:g} s; raise --budget\n"
        )
    if given.json:
        print(json.dumps({"best": {**asdict(best), "rate": best.rate}, **_effort(search)}))
        return
    effort = _effort(search)
    print(f"{' '.join(best.strategy)}: {best.rate:.0f} packets per hour")
    print(
        f"{effort['nodes']} beliefs, {effort['strategies']} whole strategies, "
        f"{effort['processor_s']:.1f} s of processor time"
    )


def _effort(search: Search) -> dict[str, float]:
    last = search.steps[-1]
    return {
        "nodes": last.nodes,
        "strategies": last.strategies,
        "processor_s": last.processor_s,
    }


if __name__ == "__main__":
    main()
