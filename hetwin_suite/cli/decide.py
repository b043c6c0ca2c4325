"""`hetwin decide`: the best strategy of a library from a moment of a run on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli import completion
from hetwin_suite.cli.options import (
    AsJson,
    At,
    Before,
    DrawSeed,
    Engine,
    Episode,
    Horizon,
    Jobs,
    KeptFutures,
    Packages,
    Prior,
    Scenario,
    SceneGiven,
    Variant,
    start_options,
)
from hetwin_suite.cli.studying import followed, kept_json, warn_of_lacking
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_suite.futures.deciding.decision import Decision, Tried

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
    horizon: Horizon = None,
    source: Episode = None,
    scene: SceneGiven = None,
    seed: DrawSeed = 0,
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
    from hetwin_suite.futures.deciding.decide import decide as decide_from
    from hetwin_suite.futures.deciding.library import read_library
    from hetwin_suite.futures.learning.experience import read_experience
    from hetwin_suite.futures.runs.origins import Moment
    from hetwin_suite.futures.runs.study import Study
    from hetwin_suite.running.patience import to_stderr

    options = start_options(source, scene, engine, package, variant)
    experience = read_experience(prior)
    study = Study(scenario, options, seed=seed, horizon_s=horizon, out=out, jobs=jobs)
    followed(study, lambda done: f"{len(done)} futures")
    strategies, moment = read_library(library), Moment(at, before or "")
    decision = decide_from(
        study, strategies, moment, futures, within_s=within, experience=experience
    )
    warn_of_lacking(decision.lacking(experience), prior)
    for tried in decision.tried:
        if tried.broken:
            reason = f"{len(tried.broken)} futures: {tried.broken[0].error}"
            to_stderr(f"warning: {tried.name}: {reason}")
    if out is not None:
        kept_json(decision, out / FOUND)
    if as_json:
        print(json.dumps(decision.to_json(), indent=2))
    else:
        _show(decision)
    if decision.chosen is None:
        raise typer.Exit(1)


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
