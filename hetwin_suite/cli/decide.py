"""`hetwin decide`: the best strategy of a library from a moment of a run on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli import completion
from hetwin_suite.cli.options import (
    AsJson,
    At,
    Before,
    Engine,
    Episode,
    Jobs,
    KeptFutures,
    Packages,
    Prior,
    Scenario,
    SceneGiven,
    Variant,
    package_folders,
    scene_object,
)
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_suite.futures.deciding.decision import Decision, Tried
    from hetwin_suite.futures.predicting.future import Future

FOUND = "decision.json"
FUTURES = 32


def decide(
    scenario: Scenario,
    library: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="strategies: a YAML file, or name of one of hetwin's libraries",
            autocompletion=completion.libraries,
        ),
    ],
    within: Annotated[
        float | None,
        typer.Option(metavar="S", help="decide after this wall time [s]; default: without haste"),
    ] = None,
    at: At = None,
    before: Before = None,
    futures: Annotated[int, typer.Option(help="of each strategy at most")] = FUTURES,
    horizon: Annotated[
        float | None,
        typer.Option(metavar="S", help="how long they go on [s]; default: to the strategy's end"),
    ] = None,
    source: Episode = None,
    scene: SceneGiven = None,
    seed: Annotated[
        int, typer.Option(min=0, help="of the draws, which are the same for all strategies")
    ] = 0,
    jobs: Jobs = None,
    prior: Prior = None,
    variant: Variant = None,
    out: KeptFutures = None,
    engine: Engine = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Say which strategy of a library is best from a moment of a run on, and what the others would bring.

    Each strategy is tried in futures with what is uncertain drawn anew, on the same draws as the others; those that are
    surely worse are given up early. Critical is what fails too often. The exit code is 1 if no future is finished in
    time.

    Example: hetwin decide pick_and_place --library put_down --before move --futures 1
    """
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
    from hetwin_suite.futures.deciding.decide import decide as decide_from
    from hetwin_suite.futures.deciding.library import read_library
    from hetwin_suite.futures.learning.experience import read_experience
    from hetwin_suite.futures.predicting.moment import Moment
    from hetwin_suite.futures.predicting.predict import Asked
    from hetwin_suite.running.patience import Patience, to_stderr

    options = RunOptions(
        source=source,
        scene=scene_object(scene),
        engine=engine,
        packages=package_folders(package),
        variant=variant,
    )
    experience = read_experience(prior)
    moment = Moment(at, before or "")
    asked = Asked(moment, futures, horizon, within, seed, jobs, out, experience=experience)
    patience = Patience(to_stderr)
    done: list[Future] = []
    decision = decide_from(
        load_scenario(find_scenario(scenario), variant),
        options,
        read_library(library),
        asked,
        done.append,
        lambda: patience.look(f"{len(done)} futures"),
    )
    for operation in decision.lacking(experience):
        to_stderr(f"warning: {prior} says nothing about {operation} with these arguments")
    for tried in decision.tried:
        if tried.broken:
            reason = f"{len(tried.broken)} futures: {tried.broken[0].error}"
            to_stderr(f"warning: {tried.name}: {reason}")
    if out is not None:
        _keep(decision, out)
    if as_json:
        print(json.dumps(decision.to_json(), indent=2))
    else:
        _show(decision)
    if decision.chosen is None:
        raise typer.Exit(1)


def _keep(decision: Decision, out: Path) -> None:
    """Write beside the futures what `--json` prints."""
    from hetwin_core.ensemble.writing import write_atomically

    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / FOUND, json.dumps(decision.to_json(), indent=2) + "\n")


def _show(decision: Decision) -> None:
    """Print a decision for a person."""
    count = sum(len(one.futures) for one in decision.tried)
    print(
        f"{count} futures of {len(decision.tried)} strategies from {decision.at_s:.2f} s,"
        f" {decision.processor_s:.2f} s of processor time"
    )
    if decision.chosen is not None:
        print(f"best: {decision.chosen.name}")
    rows = [_row(one) for one in decision.tried]
    show_table(("strategy", "utility", "interval", "futures", ""), rows)


def _row(one: Tried) -> tuple[str, ...]:
    mean, low, high, of = one.brought
    utility = "" if mean is None else f"{mean:.2f}"
    interval = "" if low is None or high is None else f"{low:.2f} to {high:.2f}"
    return one.name, utility, interval, f"{of}", "critical" if one.critical else ""
