"""`hetwin truck plan`: a strategy for one load, planned over beliefs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from hetwin_suite.command import NOT_KNOWN, Result, Seed, option
from hetwin_suite.proving_ground.truck.commands.arguments import (
    Deepest,
    Length,
    ModeOption,
    Particles,
    Sleep,
    checked_budget,
    checked_moves,
)

if TYPE_CHECKING:
    from hetwin_suite.proving_ground.truck.planning.search import Search


def plan(
    load: Annotated[
        Literal["A", "B", "C", "small"],
        typer.Argument(help="491, 1007 or 539 packets, after the paper; small: 40"),
    ],
    budget: Annotated[float, option("--budget", "of the search")] = 600.0,
    mode: ModeOption = "AdFi-1",
    sleep: Sleep = False,
    particles: Particles = 4,
    length: Length = 4,
    deepest: Deepest = 0.5,
    seed: Seed = 0,
) -> Result:
    """Search for the strategy that unloads most packets per hour: picks, and sweeps of three depths.

    A belief is what a strategy leads to for each particle: a load with masses and friction as they may be, seen with
    noise. Several heuristics take turns in choosing which belief is simulated next, until the budget is spent.
    The exit code is 3 if no belief was simulated in time.

    Example: hetwin truck plan small --budget 10 --particles 1 --length 1
    """
    from hetwin_suite.command import never_silent, to_stderr
    from hetwin_suite.proving_ground.truck.planning.belief import Beliefs
    from hetwin_suite.proving_ground.truck.planning.search import Search
    from hetwin_suite.proving_ground.truck.world import scenario_packets

    budget, moves = checked_budget(budget), checked_moves(deepest)
    drawn = scenario_packets(load, seed)
    with never_silent(lambda: "loading the truck"):
        beliefs = Beliefs(drawn, particles, mode, (seed,), sleep=sleep)
    search = Search(beliefs.after, moves, length)
    with never_silent(lambda: _said(search)):
        best = search.run(budget)
    if not best.strategy:
        to_stderr(f"error: no belief was simulated within {budget:g} s; raise --budget")
        raise typer.Exit(NOT_KNOWN)
    effort = _effort(search)
    part = "" if len(best.strategy) == length else " (a part, which was not followed in time)"
    found = f"{' '.join(best.strategy)}: {best.rate:.0f} packets per hour{part}"
    counted = f"{effort['nodes']} beliefs, {effort['strategies']} whole strategies"
    spent = f"{counted}, {effort['processor_s']:.1f} s of processor time"
    return Result({"best": {**asdict(best), "rate": best.rate}, **effort}, [found, spent])


def _said(search: Search) -> str:
    if not search.steps:
        return "simulating the first belief"
    last = search.steps[-1]
    return (
        f"{last.nodes} beliefs, {last.processor_s:.0f} s of processor time; "
        f"best: {' '.join(last.best.strategy)}, {last.best.rate:.0f} packets per hour"
    )


def _effort(search: Search) -> dict[str, Any]:
    last = search.steps[-1]
    return {
        "nodes": last.nodes,
        "strategies": last.strategies,
        "processor_s": last.processor_s,
    }
