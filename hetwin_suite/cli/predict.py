"""`hetwin predict`: many futures of one moment, and what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli.options import (
    AsJson,
    At,
    Before,
    ClusterAddress,
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
from hetwin_suite.cli.studying import cluster_at, followed, kept_json, title_of, warn_of_lacking
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_suite.futures.predicting.forecast import Forecast

FOUND = "forecast.json"
FUTURES = 16
_LIKELY = 0.05
"""Events with a smaller share are not shown to a person."""


def predict(
    scenario: Scenario,
    at: At = None,
    before: Before = None,
    futures: Annotated[int, typer.Option(help="how many")] = FUTURES,
    horizon: Horizon = None,
    within: Annotated[
        float | None,
        typer.Option(metavar="WALL_S", help="answer with what is there after this wall time [s]"),
    ] = None,
    source: Episode = None,
    scene: SceneGiven = None,
    seed: DrawSeed = 0,
    jobs: Jobs = None,
    cluster: ClusterAddress = None,
    physics_only: Annotated[
        bool,
        typer.Option(
            "--physics-only",
            help="by physics alone, at a fraction of the cost; no other model may take part",
        ),
    ] = False,
    prior: Prior = None,
    variant: Variant = None,
    out: KeptFutures = None,
    engine: Engine = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Say what comes after a moment of a run, from many futures with what is uncertain drawn anew.

    A future succeeds if all outcomes of the scenario come about. The intervals hold at a confidence of 95 %. The exit
    code is 1 if no future is finished in time.

    For example:

    hetwin predict pick_and_place --at 2 --horizon 1 --futures 4

    hetwin predict pick_and_place --before move_hand --futures 2 --horizon 0.5 --json
    """
    from hetwin_suite.futures.learning.experience import read_experience
    from hetwin_suite.futures.predicting.predict import predict as predict_from
    from hetwin_suite.futures.runs.origins import Moment
    from hetwin_suite.futures.runs.study import Study

    options = start_options(source, scene, engine, package, variant)
    workers = cluster_at(cluster)
    study = Study(
        scenario, options, seed=seed, horizon_s=horizon, out=out, jobs=jobs, workers=workers
    )
    followed(study, lambda done: f"{len(done)} of {futures} futures", warns=True)
    forecast = predict_from(
        *(study, Moment(at, before or ""), futures),
        within_s=within,
        physics_only=physics_only,
        experience=read_experience(prior),
    )
    warn_of_lacking(forecast.lacking, prior)
    if out is not None:
        from hetwin_suite.futures.predicting.page import write_page

        write_page(forecast, out, title_of(scenario, variant))
        kept_json(forecast, out / FOUND)
    if as_json:
        print(json.dumps(forecast.to_json(), indent=2))
    else:
        _show(forecast, out)
    if not forecast.finished:
        raise typer.Exit(1)


def _show(forecast: Forecast, out: Path | None) -> None:
    """Print a forecast for a person."""
    from hetwin_core.ensemble.sentences.catalogue import say

    end = forecast.end_s
    made = {"begin": forecast.at_s, "end": end, "processor": forecast.processor_s}
    print(say("future.made", finished=len(forecast.finished), asked=forecast.asked, **made))
    for sentence in forecast.verdict:
        print(sentence)
    truths = [
        (name, f"{found.p:.0%}", f"{found.low:.0%} to {found.high:.0%}")
        for name, found in forecast.predicates.items()
    ]
    if truths:
        show_table((f"at {end:.2f} s", "probability", "interval"), truths)
    if forecast.failures:
        rows = [(failure.cause, f"{failure.share:.0%}") for failure in forecast.failures]
        show_table(("why it fails", "futures"), rows)
    events = [
        (e.name, f"{e.median_s:.2f} s", f"{e.low_s:.2f} to {e.high_s:.2f} s", f"{e.share:.0%}")
        for e in forecast.events
        if e.share >= _LIKELY
    ]
    if events:
        show_table(("event", "median", "5 to 95 %", "futures"), events)
    if out is not None:
        print(f"futures: {out / 'futures'}")
        print(f"page: {out / 'forecast.html'}")
