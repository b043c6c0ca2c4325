"""`hetwin predict`: what comes, from a scenario's start or from a moment of a run on, and which strategy is best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite._commands import completion
from hetwin_suite._commands.following import followed
from hetwin_suite._commands.options import (
    At,
    Before,
    ClusterAddress,
    Engine,
    Jobs,
    Packages,
    Prior,
    Scenario,
    SceneGiven,
    Seed,
    Source,
    Variant,
    option,
    start_options,
)
from hetwin_suite._commands.result import NOT_KNOWN, Page, PagedResult
from hetwin_suite._commands.tables import table
from hetwin_suite._study.runs.judging import Keep
from hetwin_suite.cli.studying import Asked, warn_of_lacking

if TYPE_CHECKING:
    from hetwin_suite._study.predicting.forecast import Forecast
    from hetwin_suite._study.runs.run_result import Moment

FOUND = "forecast.json"
FUTURES = 16
_LIKELY = 0.05
"""Events with a smaller share are not shown to a person."""


def predict(
    scenario: Scenario,
    at: At = None,
    before: Before = None,
    library: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="decide which of these strategies is best: a YAML file, or name of one of hetwin's libraries",
            autocompletion=completion.libraries,
        ),
    ] = None,
    count: Annotated[
        int | None,
        option(
            "-n",
            "runs from the start (100; 1000 at most with --until), futures of a moment (16), or of each strategy at"
            " most (32)",
            1,
        ),
    ] = None,
    duration: Annotated[
        float | None, option("--duration", "from the moment on; default: when the source does", 0)
    ] = None,
    within: Annotated[
        float | None,
        option("--within", "from a moment on; then what is there counts; default: any", 0),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help='from the start on: stop when enough is known: width=0.2, seen=0.1, "delivered>0.9"',
        ),
    ] = None,
    source: Source = None,
    scene: SceneGiven = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    cluster: ClusterAddress = None,
    physics_only: Annotated[
        bool,
        typer.Option(
            "--physics-only",
            help="from a moment on: by physics alone, at a fraction of the cost; no other model may take part",
        ),
    ] = False,
    prior: Prior = None,
    variant: Variant = None,
    out: Annotated[
        Path | None,
        option(
            "--out", "folder for runs and page; default: runs/NAME_TIME from the start, else none"
        ),
    ] = None,
    keep: Annotated[Keep, typer.Option(help="from the start on: which runs to keep")] = Keep.ALL,
    engine: Engine = None,
    package: Packages = None,
) -> PagedResult:
    """Say how likely it is what comes, from many runs with what is uncertain drawn anew.

    What is uncertain, and which outcomes count, the scenario says itself; a run succeeds if all come about. The
    intervals hold at a confidence of 95 %, however often one looks at them.

    Without --at and --before whole runs are made, from the start. With one of them many futures of that moment are.
    With --library each of its strategies is tried, from the start or the moment, all on the same draws; those that are
    surely worse are given up early, and critical is what fails too often.

    The exit code is 1 if all runs failed, and 3 if no future is finished in time.

    For example:

    hetwin predict pick_and_place -n 3

    hetwin predict pick_and_place -n 2 --until width=0.3 --keep failed --json

    hetwin predict pick_and_place --at 2 --duration 1 -n 4

    hetwin predict pick_and_place --before move_hand -n 2 --duration 0.5 --json

    hetwin predict pick_and_place --library put_down --before move -n 1
    """
    from hetwin_suite._study.runs.run_result import Moment

    options = start_options(source, scene, engine, package, variant)
    asked = Asked(scenario, options, count, seed, jobs, duration, out, cluster)
    from_start = at is None and before is None and library is None
    only_later: dict[str, object] = {"--within": within, "--physics-only": physics_only}
    only_first: dict[str, object] = {"--until": until, "--keep": keep is not Keep.ALL}
    if from_start:
        from hetwin_suite.cli.project import project

        _check_none(only_later | {"--prior": prior}, "--at, --before or --library")
        return project(asked, until, keep)
    _check_none(only_first, "neither --at nor --before, nor --library")
    if library is not None:
        from hetwin_suite.cli.decide import decide

        _check_none({"--physics-only": physics_only, "--cluster": cluster}, "no --library")
        begin = 0.0 if at is None and before is None else at
        return decide(asked, library, Moment(begin, before or ""), within, prior)
    return _predicted(asked, Moment(at, before or ""), within, prior, physics_only=physics_only)


def _check_none(given: Mapping[str, object], expected: str) -> None:
    """Check that nothing is given that has no meaning here.

    Raises:
        BadInput: if something is.
    """
    for name, value in given.items():
        if value not in (None, False):
            raise BadInput("this has no meaning here", where=name, found=value, expected=expected)


def _predicted(
    asked: Asked, moment: Moment, within: float | None, prior: Path | None, *, physics_only: bool
) -> PagedResult:
    """Let many futures of a moment go on."""
    from hetwin_suite._study.experience import read_experience
    from hetwin_suite._study.predicting.predict import predict as predict_from

    futures = asked.count or FUTURES
    study = asked.study(horizon_s=asked.duration)
    followed(study, lambda done: f"{len(done)} of {futures} futures", warns=True)
    experience = read_experience(prior)
    forecast = predict_from(
        *(study, moment, futures), within_s=within, physics_only=physics_only, experience=experience
    )
    warn_of_lacking(forecast.lacking, prior)
    code = 0 if forecast.finished else NOT_KNOWN
    if asked.out is None:
        return PagedResult(forecast, _lines(forecast, None), code)
    from hetwin_core.episodes.run_folder import FORECAST

    page = Page(asked.out / FORECAST, lambda: _drawn(forecast, asked.title))
    return PagedResult(forecast, _lines(forecast, asked.out), code, page, asked.out / FOUND)


def _drawn(forecast: Forecast, title: str) -> str:
    from hetwin_suite._study.predicting.page import forecast_page

    return forecast_page(forecast, title)


def _lines(forecast: Forecast, out: Path | None) -> Iterator[str]:
    """Yield a forecast for a person."""
    from hetwin_core.ensemble.sentences.catalogue import say

    end = forecast.end_s
    made = {"begin": forecast.at_s, "end": end, "processor": forecast.processor_s}
    yield say("future.made", finished=len(forecast.finished), asked=forecast.asked, **made)
    yield from forecast.verdict
    truths = [
        (name, f"{found.p:.0%}", f"{found.low:.0%} to {found.high:.0%}")
        for name, found in forecast.predicates.items()
    ]
    if truths:
        yield from table((f"at {end:.2f} s", "probability", "interval"), truths)
    if forecast.failures:
        rows = [(failure.cause, f"{failure.share:.0%}") for failure in forecast.failures]
        yield from table(("why it fails", "futures"), rows)
    events = [
        (e.name, f"{e.median_s:.2f} s", f"{e.low_s:.2f} to {e.high_s:.2f} s", f"{e.share:.0%}")
        for e in forecast.events
        if e.share >= _LIKELY
    ]
    if events:
        yield from table(("event", "median", "5 to 95 %", "futures"), events)
    if out is not None:
        yield f"futures: {out / 'futures'}"
