"""`hetwin truck choose`: the strategy of a library that suits a load."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import Result, Seed, option
from hetwin_suite.proving_ground.truck.commands.arguments import (
    ModeOption,
    Packets,
    Particles,
    Sleep,
    checked_budget,
)


def choose(
    library: Annotated[Path, typer.Argument(help="what hetwin truck learn has written")],
    packets: Packets = 150,
    seed: Seed = 0,
    budget: Annotated[float, option("--budget", "for trying strategies out")] = 60.0,
    by_looks: Annotated[
        bool, typer.Option("--by-looks", help="choose at once, without trying any out")
    ] = False,
    particles: Particles = 4,
    mode: ModeOption = "AdFi-1",
    sleep: Sleep = False,
) -> Result:
    """Choose the strategy that suits a load best; needs the extra learn.

    A random forest learns from the library which strategy is best where, by what the robot sees of a load; errors
    count by the packets per hour that they cost. Strategies are then tried out on this load, the likeliest first,
    until the budget is spent, and the best of these is chosen. With --json: {chosen: [move, ...],
    tried: [{strategy, unloaded, seconds, processor_s, lost, rate}], processor_s}.

    Example: hetwin truck choose truck.json --packets 12 --seed 9
    """
    from hetwin_suite.command import never_silent
    from hetwin_suite.proving_ground.truck.planning.belief import Beliefs
    from hetwin_suite.proving_ground.truck.planning.choosing import Chooser, read_strategy_library
    from hetwin_suite.proving_ground.truck.planning.library import draw_cut_out, features_at_start
    from hetwin_suite.proving_ground.truck.planning.trying import Trials, try_out

    budget = checked_budget(budget)
    chooser = Chooser(read_strategy_library(library))
    with never_silent(lambda: "looking at the load"):
        drawn = draw_cut_out(seed, packets)
        beliefs = Beliefs(drawn, 1 if by_looks else particles, mode, (seed,), sleep=sleep)
        ranked = chooser.ranked(features_at_start(beliefs))
    trials = Trials((), 0.0)
    if not by_looks:
        with never_silent(lambda: "trying strategies out"):
            trials = try_out(beliefs.after, ranked, budget)
    chosen = trials.best(otherwise=ranked[0])
    tried = [{**asdict(node), "rate": node.rate} for node in trials.nodes]
    rates = [
        f"{' '.join(node.strategy)}: {node.rate:.0f} packets per hour" for node in trials.nodes
    ]
    why = "" if trials.nodes else " (by the looks of the load; none was tried out)"
    return Result(
        {"chosen": chosen, "tried": tried, "processor_s": trials.processor_s},
        [*rates, f"chosen: {' '.join(chosen)}{why}"],
    )
