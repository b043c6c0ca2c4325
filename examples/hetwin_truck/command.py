"""`hetwin truck`: plans, learns and chooses strategies that unload a truck."""

from __future__ import annotations

import math
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from hetwin_suite.command import NOT_KNOWN, BadInput, Result, Seed, make_parent_folder, option

if TYPE_CHECKING:
    from hetwin_truck.planning.search import Search

app = typer.Typer(
    help="Plan strategies for unloading a truck, learn which suits a load, and choose.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Mode: TypeAlias = Literal["HiFi", "AdFi-1", "AdFi-2", "AdFi-3"]
"""The modes of the fidelity manager; see `hetwin_fidelity.MODES`."""
ModeOption = Annotated[
    Mode, typer.Option(help="HiFi: all packets always high; AdFi: only those near the robot")
]
Sleep = Annotated[bool, typer.Option("--sleep", help="let the engine put packets at rest to sleep")]
Particles = Annotated[
    int, typer.Option(min=1, help="number of sampled loads (masses, friction) to simulate")
]
Length = Annotated[int, typer.Option(min=1, help="moves of a strategy")]
DeepestOption = Annotated[
    float,
    typer.Option(metavar="M", help="maximum depth of a sweep into the packets [m]"),
]
Packets = Annotated[int, typer.Option(min=1, help="packets of a load, a cut-out of scenario A")]


@app.command()
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
    deepest: DeepestOption = 0.5,
    seed: Seed = 0,
) -> Result:
    """Search for the strategy that unloads most packets per hour: picks, and sweeps of three depths.

    A belief is the result of a strategy for each particle: a load with sampled masses and friction, observed with
    noise. Several heuristics alternate in choosing which belief is simulated next, until the budget is spent. The exit
    code is 3 if no belief was simulated in time.

    Example: hetwin truck plan small --budget 10 --particles 1 --length 1
    """
    from hetwin_suite.command import never_silent, to_stderr
    from hetwin_truck.planning.belief import Beliefs
    from hetwin_truck.planning.search import Search
    from hetwin_truck.world import scenario_packets

    budget, moves = require_budget(budget), require_moves(deepest)
    packets_of_load = scenario_packets(load, seed)
    with never_silent(lambda: "loading the truck"):
        beliefs = Beliefs(packets_of_load, particles, mode, (seed,), sleep=sleep)
    search = Search(beliefs.after, moves, length)
    with never_silent(lambda: _progress_text(search)):
        best = search.run(budget)
    if not best.strategy:
        to_stderr(f"error: no belief was simulated within {budget:g} s; raise --budget")
        raise typer.Exit(NOT_KNOWN)
    effort = _effort(search)
    suffix = (
        ""
        if len(best.strategy) == length
        else " (incomplete: the budget ended before it was extended)"
    )
    best_line = f"{' '.join(best.strategy)}: {best.rate:.0f} packets per hour{suffix}"
    counted = f"{effort['nodes']} beliefs, {effort['strategies']} complete strategies"
    effort_line = f"{counted}, {effort['processor_s']:.1f} s of processor time"
    return Result({"best": {**asdict(best), "rate": best.rate}, **effort}, [best_line, effort_line])


@app.command()
def learn(
    out: Annotated[Path, option("--out", "the library, as JSON")],
    count: Annotated[int, option("-n", "loads for planning", 1)] = 60,
    budget: Annotated[float, option("--budget", "of each search")] = 60.0,
    keep_best: Annotated[int, typer.Option(min=1, help="strategies to keep of each load")] = 1,
    strategies: Annotated[
        int, typer.Option(min=1, help="strategies of the library: the best ones in combination")
    ] = 3,
    length: Length = 3,
    deepest: DeepestOption = 0.5,
    particles: Particles = 2,
    mode: ModeOption = "AdFi-1",
    sleep: Sleep = False,
    packets: Packets = 150,
    seed: Seed = 0,
) -> Result:
    """Plan on many loads, evaluate all found strategies on each load, and write a library to choose from.

    Loads are cut-outs of scenario A, of any height, some of them partly unloaded. With --json:
    {library, strategies, loads}.

    Example: hetwin truck learn -n 2 --packets 12 --length 1 --particles 1 --budget 20 --out truck.json
    """
    from hetwin_suite.command import counted, never_silent
    from hetwin_truck.planning.belief import Beliefs
    from hetwin_truck.planning.choosing import mean_rates
    from hetwin_truck.planning.library import draw_cut_out, plan_library

    budget, moves = require_budget(budget), require_moves(deepest)
    make_parent_folder(out)
    activities = ["drawing the loads"]
    with never_silent(lambda: activities[-1]):
        beliefs = [
            Beliefs(draw_cut_out(load_seed, packets), particles, mode, (load_seed,), sleep=sleep)
            for load_seed in range(seed, seed + count)
        ]
        library = plan_library(beliefs, length, budget, keep_best, activities.append, moves=moves)
    library = library.reduced_to(strategies)
    library.save(out)
    counts = {"strategies": len(library.strategies), "loads": len(library.loads)}
    lines = [
        f"{' '.join(strategy)}: {rate:.0f} packets per hour"
        for strategy, rate in zip(library.strategies, mean_rates(library.loads), strict=True)
    ]
    written_line = f"{out}: written_line on {counted(len(library.loads), 'load')}"
    return Result({"library": str(out.resolve()), **counts}, [*lines, written_line])


@app.command()
def choose(
    library: Annotated[Path, typer.Argument(help="library written by hetwin truck learn")],
    packets: Packets = 150,
    seed: Seed = 0,
    budget: Annotated[float, option("--budget", "for simulating strategies")] = 60.0,
    by_looks: Annotated[
        bool, typer.Option("--by-looks", help="choose at once, without simulation")
    ] = False,
    particles: Particles = 4,
    mode: ModeOption = "AdFi-1",
    sleep: Sleep = False,
) -> Result:
    """Choose the strategy that suits a load best; needs the extra learn.

    A random forest learns from the library which strategy is best for which features of a load; errors are weighted by
    the packets per hour that they cost. Strategies are then simulated on this load, the likeliest first, until the
    budget is spent, and the best of these is chosen. With --json: {chosen: [move, ...],
    tried: [{strategy, unloaded, seconds, processor_s, lost, rate}], processor_s}.

    Example: hetwin truck choose truck.json --packets 12 --seed 9
    """
    from hetwin_suite.command import never_silent
    from hetwin_truck.planning.belief import Beliefs
    from hetwin_truck.planning.choosing import Chooser, read_strategy_library
    from hetwin_truck.planning.evaluating import Evaluations, evaluate_in_order
    from hetwin_truck.planning.library import draw_cut_out, features_at_start

    budget = require_budget(budget)
    chooser = Chooser(read_strategy_library(library))
    with never_silent(lambda: "looking at the load"):
        packets_of_load = draw_cut_out(seed, packets)
        beliefs = Beliefs(packets_of_load, 1 if by_looks else particles, mode, (seed,), sleep=sleep)
        ranked = chooser.ranked(features_at_start(beliefs))
    trials = Evaluations((), 0.0)
    if not by_looks:
        with never_silent(lambda: "evaluating strategies"):
            trials = evaluate_in_order(beliefs.after, ranked, budget)
    chosen = trials.best(otherwise=ranked[0])
    evaluated = [{**asdict(node), "rate": node.rate} for node in trials.nodes]
    rates = [
        f"{' '.join(node.strategy)}: {node.rate:.0f} packets per hour" for node in trials.nodes
    ]
    suffix = "" if trials.nodes else " (from features of the load alone; none was simulated)"
    return Result(
        {"chosen": chosen, "tried": evaluated, "processor_s": trials.processor_s},
        [*rates, f"chosen: {' '.join(chosen)}{suffix}"],
    )


def _progress_text(search: Search) -> str:
    if not search.progress:
        return "simulating the first belief"
    last = search.progress[-1]
    return (
        f"{last.nodes} beliefs, {last.processor_s:.0f} s of processor time; "
        f"best: {' '.join(last.best.strategy)}, {last.best.rate:.0f} packets per hour"
    )


def _effort(search: Search) -> dict[str, Any]:
    last = search.progress[-1]
    return {
        "nodes": last.nodes,
        "strategies": last.strategies,
        "processor_s": last.processor_s,
    }


def require_moves(deepest: float) -> tuple[str, ...]:
    """Return the moves in which the nose enters the packets by at most `deepest` [m].

    Raises:
        BadInput: if that excludes all sweeps.
    """
    from hetwin_truck.planning.particles import SWEEPS, moves_within

    shallowest = min(SWEEPS.values())
    if not deepest >= shallowest:
        raise BadInput(
            "all sweeps are deeper than that",
            where="--deepest",
            found=f"{deepest:g}",
            expected=f"a depth of at least {shallowest:g} m",
        )
    return moves_within(deepest)


def require_budget(budget_s: float) -> float:
    """Check a budget of processor time [s], and return it.

    Raises:
        BadInput: if it is not above 0.
    """
    if not (budget_s > 0 and math.isfinite(budget_s)):
        raise BadInput(
            "the budget of processor time is not positive",
            where="--budget",
            found=f"{budget_s:g}",
            expected="a time above 0 s",
        )
    return budget_s
