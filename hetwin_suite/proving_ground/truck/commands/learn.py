"""`hetwin truck learn`: a library of strategies, planned over many loads."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.command import Result, Seed, make_room_for, option
from hetwin_suite.proving_ground.truck.commands.arguments import (
    Deepest,
    Length,
    ModeOption,
    Packets,
    Particles,
    Sleep,
    checked_budget,
    checked_moves,
)


def learn(
    out: Annotated[Path, option("--out", "the library, as JSON")],
    count: Annotated[int, option("-n", "loads that are planned on", 1)] = 60,
    budget: Annotated[float, option("--budget", "of each search")] = 60.0,
    keep_best: Annotated[
        int, typer.Option(min=1, help="strategies that are kept of each load")
    ] = 1,
    strategies: Annotated[
        int, typer.Option(min=1, help="that the library has: those that bring most together")
    ] = 3,
    length: Length = 3,
    deepest: Deepest = 0.5,
    particles: Particles = 2,
    mode: ModeOption = "AdFi-1",
    sleep: Sleep = False,
    packets: Packets = 150,
    seed: Seed = 0,
) -> Result:
    """Plan on many loads, try what was found on all of them, and write what each brought: a library to choose from.

    Loads are cut-outs of scenario A, of any height, some of which the robot has begun to unload. With --json:
    {library, strategies, loads}.

    Example: hetwin truck learn -n 2 --packets 12 --length 1 --particles 1 --budget 20 --out truck.json
    """
    from hetwin_suite.command import counted, never_silent
    from hetwin_suite.proving_ground.truck.planning.belief import Beliefs
    from hetwin_suite.proving_ground.truck.planning.choosing import mean_rates
    from hetwin_suite.proving_ground.truck.planning.library import draw_cut_out, plan_library

    budget, moves = checked_budget(budget), checked_moves(deepest)
    make_room_for(out)
    done = ["drawing the loads"]
    with never_silent(lambda: done[-1]):
        beliefs = [
            Beliefs(draw_cut_out(one, packets), particles, mode, (one,), sleep=sleep)
            for one in range(seed, seed + count)
        ]
        learned = plan_library(beliefs, length, budget, keep_best, done.append, moves=moves)
    learned = learned.few(strategies)
    learned.save(out)
    found = {"strategies": len(learned.strategies), "loads": len(learned.loads)}
    lines = [
        f"{' '.join(strategy)}: {rate:.0f} packets per hour"
        for strategy, rate in zip(learned.strategies, mean_rates(learned.loads), strict=True)
    ]
    tried = f"{out}: tried on {counted(len(learned.loads), 'load')}"
    return Result({"library": str(out.resolve()), **found}, [*lines, tried])
