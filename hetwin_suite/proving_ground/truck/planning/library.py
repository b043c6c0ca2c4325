"""A library of strategies for the truck, planned over many loads, and the choice for a new one.

`python -m hetwin_suite.proving_ground.truck.planning.library learn --out truck.json` and `choose truck.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.proving_ground.truck.choice import HEIGHTS, features_of
from hetwin_suite.proving_ground.truck.packets import CUT_OUT, Load, Packet, draw_load
from hetwin_suite.proving_ground.truck.planning.belief import Beliefs, Strategy
from hetwin_suite.proving_ground.truck.planning.choosing import (
    Chooser,
    StrategyLibrary,
    Tried,
    read_strategy_library,
)
from hetwin_suite.proving_ground.truck.planning.particles import MOVES
from hetwin_suite.proving_ground.truck.planning.search import Search
from model_nodes.fidelity.near_robot import MODES

MODE = "AdFi-1"


def draw_cut_out(seed: int, packets: int = CUT_OUT) -> list[Packet]:
    """Draw a load of any height, from remains on the floor to full."""
    random = np.random.default_rng((seed, 44))
    return draw_load(Load(packets, random.uniform(*HEIGHTS)), random)


def features_at_start(beliefs: Beliefs) -> tuple[float, ...]:
    """Return what the robot sees of a load before it begins."""
    return tuple(features_of(beliefs.particles[0].boxes()).tolist())


def plan_library(
    loads: Sequence[Beliefs], length: int, budget_s: float, most: int
) -> StrategyLibrary:
    """Plan on each load, and try on each what was found on all.

    Args:
        loads: their beliefs.
        length: moves of a strategy.
        budget_s: processor time of each search [s].
        most: number of strategies that are kept of each search.
    """
    found: dict[Strategy, None] = {}
    for beliefs in loads:
        search = Search(beliefs.after, MOVES, length)
        search.run(budget_s)
        found.update(dict.fromkeys(n.strategy for n in search.whole()[:most]))
    if not found:
        raise BadInput(
            "no search came to a whole strategy",
            where="--budget",
            found=budget_s,
            expected="more processor time, or a smaller --length",
        )
    strategies = tuple(found)
    return StrategyLibrary(strategies, tuple(try_all(one, strategies) for one in loads))


def try_all(beliefs: Beliefs, strategies: Sequence[Strategy]) -> Tried:
    """Try all strategies on one load."""
    rates = tuple(beliefs.after(strategy).rate for strategy in strategies)
    return Tried(features_at_start(beliefs), rates)


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line; learn a library, or choose from one."""
    given = _read_arguments(arguments)
    try:
        _learn(given) if given.do == "learn" else _choose(given)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)


def _read_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hetwin_suite.proving_ground.truck.planning.library",
        description="Plan a library of strategies for the truck, or choose from it.",
    )
    commands = parser.add_subparsers(dest="do", required=True)
    learn = commands.add_parser("learn", help="plan over many loads")
    learn.add_argument("--out", type=Path, required=True, help="the library, a JSON file")
    learn.add_argument("--loads", type=int, default=60)
    learn.add_argument("--budget", type=float, default=60.0, help="processor time for each [s]")
    learn.add_argument("--keep-best", type=int, default=1, help="strategies of each load")
    learn.add_argument("--length", type=int, default=3, help="moves of a strategy")
    learn.add_argument("--particles", type=int, default=2)
    learn.add_argument("--mode", default=MODE, choices=list(MODES))
    choose = commands.add_parser("choose", help="choose for a new load")
    choose.add_argument("library", type=Path)
    for command in (learn, choose):
        command.add_argument("--packets", type=int, default=CUT_OUT, help="of a load")
        command.add_argument("--seed", type=int, default=0, help="of the (first) load")
    given = parser.parse_args(arguments)
    if given.packets < 1 or given.seed < 0:
        parser.error("--packets must be at least 1, --seed at least 0")
    if given.do == "learn":
        if not (given.budget > 0 and math.isfinite(given.budget)):
            parser.error(f"--budget: found {given.budget:g}, expected a time above 0 s")
        if min(given.loads, given.keep_best, given.length, given.particles) < 1:
            parser.error("--loads, --keep-best, --length and --particles must be at least 1")
    return given


def _learn(given: argparse.Namespace) -> None:
    loads = [
        Beliefs(draw_cut_out(seed, given.packets), given.particles, given.mode, (seed,))
        for seed in range(given.seed, given.seed + given.loads)
    ]
    learned = plan_library(loads, given.length, given.budget, given.keep_best)
    learned.save(given.out)
    print(f"{given.out}: {len(learned.strategies)} strategies, tried on {len(learned.loads)} loads")


def _choose(given: argparse.Namespace) -> None:
    chooser = Chooser(read_strategy_library(given.library))
    beliefs = Beliefs(draw_cut_out(given.seed, given.packets), 1, MODE, (given.seed,))
    print(json.dumps({"chosen": chooser.choose(features_at_start(beliefs))}))


if __name__ == "__main__":
    main()
