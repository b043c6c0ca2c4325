"""`hetwin truck learn`: a library of strategies, planned over many loads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from hetwin_suite.cli.options import AsJson
from hetwin_suite.cli.text_files import make_room_for
from hetwin_suite.cli.truck.arguments import (
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
    out: Annotated[Path, typer.Option(metavar="JSON", help="the library that is written")],
    loads: Annotated[int, typer.Option(min=1, help="how many are planned on")] = 60,
    budget: Annotated[
        float, typer.Option(metavar="S", help="processor time of each search [s]")
    ] = 60.0,
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
    seed: Annotated[int, typer.Option(min=0, help="of the first load; the others follow")] = 0,
    as_json: AsJson = False,
) -> None:
    """Plan on many loads, try what was found on all of them, and write what each brought: a library to choose from.

    Loads are cut-outs of scenario A, of any height, some of which the robot has begun to unload. With --json:
    {library, strategies, loads}.

    Example: hetwin truck learn --loads 2 --packets 12 --length 1 --particles 1 --budget 20 --out truck.json
    """
    from hetwin_suite.proving_ground.truck.planning.belief import Beliefs
    from hetwin_suite.proving_ground.truck.planning.choosing import mean_rates
    from hetwin_suite.proving_ground.truck.planning.library import draw_cut_out, plan_library
    from hetwin_suite.running.patience import never_silent
    from hetwin_suite.scaffolding.shown import counted

    budget, moves = checked_budget(budget), checked_moves(deepest)
    make_room_for(out)
    done = ["drawing the loads"]
    with never_silent(lambda: done[-1]):
        beliefs = [
            Beliefs(draw_cut_out(one, packets), particles, mode, (one,), sleep=sleep)
            for one in range(seed, seed + loads)
        ]
        learned = plan_library(beliefs, length, budget, keep_best, done.append, moves=moves)
    learned = learned.few(strategies)
    learned.save(out)
    if as_json:
        found = {"strategies": len(learned.strategies), "loads": len(learned.loads)}
        print(json.dumps({"library": str(out.resolve()), **found}))
        return
    for strategy, rate in zip(learned.strategies, mean_rates(learned.loads), strict=True):
        print(f"{' '.join(strategy)}: {rate:.0f} packets per hour")
    print(f"{out}: tried on {counted(len(learned.loads), 'load')}")
