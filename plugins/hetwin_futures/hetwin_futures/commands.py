"""`hetwin predict` and `hetwin explain`: forecasts, the best strategy, and the smallest change for success."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_futures.command_results import warn_of_lacking
from hetwin_suite.command import (
    NOT_KNOWN,
    ClusterAddress,
    Engine,
    Jobs,
    Keep,
    Packages,
    Page,
    PagedResult,
    Result,
    Scenario,
    SceneGiven,
    Seed,
    Source,
    Trust,
    Variant,
    check_none,
    completions,
    follow_study,
    option,
    resource_names,
    start_options,
    table,
    write_text,
)

if TYPE_CHECKING:
    from hetwin_futures.forecast import Forecast
    from hetwin_suite.study import Moment, Study

At = Annotated[
    float | None,
    typer.Option(
        "--at", metavar="T", help="from the first barrier at or after this simulated time [s]"
    ),
]
Before = Annotated[
    str | None,
    typer.Option("--before", metavar="ACTION", help="from when this action first begins"),
]
Prior = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="output of hetwin learn success: how often actions fail for causes that the simulation does not model",
    ),
]
FOUND = "forecast.json"
FUTURES = 16
NO_MEANING = "this has no meaning here"
_LIKELY = 0.05
"""Events with a smaller share are left out of the text."""


def _libraries(incomplete: str) -> list[str]:
    """Return the names of hetwin's own libraries of strategies."""
    return completions(incomplete, resource_names("scenarios/libraries", ".yaml"))


def predict(
    scenario: Scenario,
    at: At = None,
    before: Before = None,
    library: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="decide which of these strategies is best: a YAML file, or name of one of hetwin's libraries",
            autocompletion=_libraries,
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
        option(
            "--within", "wall time from the moment; futures finished by then count; default: any", 0
        ),
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
    """Predict the outcome of a run from many runs in which the scenario's uncertainty is drawn anew.

    The scenario declares its uncertainty and its outcomes; a run succeeds if all outcomes come about. The intervals
    hold at a confidence of 95 %, however often they are looked at.

    Without --at and --before, whole runs are made from the start. With one of them, many futures of that moment are
    made. With --library, each of its strategies is evaluated from the start or the moment, all on the same draws.
    Strategies that are surely worse are dropped early; a strategy that fails too often is reported as critical.

    The exit code is 1 if all runs failed, and 3 if no future finishes in time.

    For example:

    hetwin predict pick_and_place -n 3

    hetwin predict pick_and_place -n 2 --until width=0.3 --keep failed --json

    hetwin predict pick_and_place --at 2 --duration 1 -n 4

    hetwin predict pick_and_place --before move_hand -n 2 --duration 0.5 --json

    hetwin predict pick_and_place --library put_down --before move -n 1
    """
    from hetwin_futures.cluster import Cluster
    from hetwin_futures.command_results import decide, project
    from hetwin_suite.episode import FORECAST, new_run_folder
    from hetwin_suite.study import Moment, Study

    from_start = at is None and before is None and library is None
    only_later: dict[str, object] = {"--within": within, "--physics-only": physics_only}
    only_first: dict[str, object] = {"--until": until, "--keep": keep is not Keep.ALL}
    if from_start:
        check_none(only_later | {"--prior": prior}, NO_MEANING, "--at, --before or --library")
    else:
        check_none(only_first, NO_MEANING, "neither --at nor --before, nor --library")
    if library is not None:
        not_there = {"--physics-only": physics_only, "--cluster": cluster}
        check_none(not_there, NO_MEANING, "no --library")
    folder, ends = out, None
    if from_start:
        ends = duration
        folder = out or new_run_folder(Path("runs"), f"{Path(scenario).stem}_batch")
    study = Study(
        *(scenario, start_options(source, scene, engine, package, variant, ends)),
        seed=seed,
        horizon_s=duration,
        out=folder,
        keep=keep,
        jobs=jobs,
        workers=None if cluster is None else Cluster(cluster),
    )
    title = Path(scenario).stem + (f", {variant}" if variant else "")
    if folder is not None and from_start:
        return project(study, count, until, folder, title)
    moment = Moment(0.0 if at is None and before is None else at, before or "")
    if library is not None:
        return decide(study, count, library, moment, within, prior)
    forecast = _forecast(study, count or FUTURES, moment, within, prior, physics_only=physics_only)
    code = 0 if forecast.finished else NOT_KNOWN
    if out is None:
        return PagedResult(forecast, _lines(forecast, None), code)
    page = Page(out / FORECAST, lambda: _drawn(forecast, title))
    return PagedResult(forecast, _lines(forecast, out), code, page, out / FOUND)


def _forecast(
    study: Study,
    futures: int,
    moment: Moment,
    within: float | None,
    prior: Path | None,
    *,
    physics_only: bool,
) -> Forecast:
    """Run many futures of a moment, and return their forecast."""
    from hetwin_futures.predicting import predict as predict_from
    from hetwin_futures.successes import read_experience

    follow_study(study, lambda done: f"{len(done)} of {futures} futures", warn_of_failures=True)
    experience = read_experience(prior)
    forecast = predict_from(
        *(study, moment, futures), within_s=within, physics_only=physics_only, experience=experience
    )
    warn_of_lacking(forecast.lacking, prior)
    return forecast


def _drawn(forecast: Forecast, title: str) -> str:
    from hetwin_futures.forecast_page import forecast_page

    return forecast_page(forecast, title)


def _lines(forecast: Forecast, out: Path | None) -> Iterator[str]:
    """Yield a forecast as lines of text."""
    from hetwin_suite.runs import say

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


def explain(
    episode: Annotated[
        Path,
        typer.Argument(help="folder of a run, or of a recorded episode, which is run first"),
    ],
    change: Annotated[
        str,
        typer.Option(
            metavar="ENTITY|NAME.PARAMETER", help="what may differ; default: all that is uncertain"
        ),
    ] = "",
    out: Annotated[
        Path | None,
        option(
            "--out", "folder for the run of a recorded episode; its report shows the explanation"
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    trust: Trust = False,
) -> Result:
    """Find the smallest change with which a failed run would have succeeded.

    Futures of the run are made with an entity at another position, or with another number, until at least nine of ten
    succeed although everything else that is uncertain is drawn. The scenario declares what is uncertain, and its
    outcomes define success. The exit code is 0 also if no change is found.

    For example:

    hetwin explain episodes/drops/drop_0001 --change crate
    """
    from hetwin_futures.explaining import explain as explained
    from hetwin_futures.of_run import study_of
    from hetwin_suite.episode import EXPLANATION, LOG

    with tempfile.TemporaryDirectory(prefix="hetwin-") as folder:
        run = out if out is not None else Path(folder) / "run"
        study, tables = study_of(episode, run, trust=trust)
        study.seed, study.jobs = seed, jobs
        follow_study(study, lambda done: f"{len(done)} futures")
        found = explained(study, tables, change)
        kept = run if (run / LOG).exists() else episode
        text = json.dumps(found.to_file()) + "\n"
        write_text(kept / EXPLANATION, text, "the explanation")
    lines = [found.text]
    if found.change is not None:
        begun = f"{found.at_s:.2f} s"
        lines.append(f"{found.finished} futures were made, from {begun} of the run on")
    return Result(found.to_json(), lines)
