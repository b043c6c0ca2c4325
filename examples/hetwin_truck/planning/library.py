"""A library of strategies for the truck, planned over many loads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from hetwin_suite.runs import BadInput
from hetwin_truck.choice import HEIGHTS, features_of
from hetwin_truck.packets import CUT_OUT, Load, Packet, draw_load
from hetwin_truck.partly_unloaded import partly_unloaded
from hetwin_truck.planning.belief import Beliefs, Strategy
from hetwin_truck.planning.choosing import LoadRates, StrategyLibrary
from hetwin_truck.planning.particles import MOVES
from hetwin_truck.planning.search import Search

MAX_PREVIOUS_ACTIONS = 6
"""Maximum number of actions before the robot's choice."""


def draw_cut_out(seed: int, packets: int = CUT_OUT) -> list[Packet]:
    """Draw a load of any height, from remains on the floor to full, at some moment of its unloading."""
    random = np.random.default_rng((seed, 44))
    full_load = draw_load(Load(packets, random.uniform(*HEIGHTS)), random)
    return partly_unloaded(full_load, int(random.integers(MAX_PREVIOUS_ACTIONS + 1)), random)


def features_at_start(beliefs: Beliefs) -> tuple[float, ...]:
    """Return the features of a load that the robot observes at the start."""
    return tuple(features_of(beliefs.particles[0].boxes()).tolist())


def plan_library(
    loads: Sequence[Beliefs],
    length: int,
    budget_s: float,
    max_kept: int,
    on_activity: Callable[[str], object] = lambda _: None,
    *,
    moves: Sequence[str] = MOVES,
) -> StrategyLibrary:
    """Plan on each load, and evaluate all found strategies on each load.

    Args:
        loads: beliefs of the loads.
        length: number of moves of a strategy.
        budget_s: processor time of each search [s].
        max_kept: maximum number of strategies kept from each search.
        on_activity: called with a description of each activity.
        moves: moves of which strategies consist.

    Raises:
        BadInput: if no search completes a strategy.
    """
    strategies_found: dict[Strategy, None] = {}
    for number, beliefs in enumerate(loads, 1):
        on_activity(f"planning on load {number} of {len(loads)}")
        search = Search(beliefs.after, moves, length)
        search.run(budget_s)
        strategies_found.update(
            dict.fromkeys(n.strategy for n in search.complete_strategies()[:max_kept])
        )
    if not strategies_found:
        raise BadInput(
            "no search completed a strategy",
            where="--budget",
            found=budget_s,
            expected="more processor time, or a smaller --length",
        )
    strategies, rates_of_loads = tuple(strategies_found), list[LoadRates]()
    for number, beliefs in enumerate(loads, 1):
        on_activity(f"evaluating {len(strategies)} strategies on load {number} of {len(loads)}")
        rates_of_loads.append(evaluate_all(beliefs, strategies))
    return StrategyLibrary(strategies, tuple(rates_of_loads))


def evaluate_all(beliefs: Beliefs, strategies: Sequence[Strategy]) -> LoadRates:
    """Evaluate all strategies on one load."""
    rates = tuple(beliefs.after(strategy).rate for strategy in strategies)
    return LoadRates(features_at_start(beliefs), rates)
