"""`hetwin predict` and `hetwin explain`: forecasts, the best strategy, and the smallest change for success."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_futures.command_results import warn_about_missing_experience
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
FORECAST_FILE = "forecast.json"
FUTURES = 16
NOT_APPLICABLE = "this option does not apply here"
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
            help="decide which of these strategies is best: a YAML file, or the name of one of hetwin's libraries",
            autocompletion=_libraries,
        ),
    ] = None,
    count: Annotated[
        int | None,
        option(
            "-n",
            "number of runs from the start (default: 100; with --until at most 1000), or of futures of a moment"
            " (default: 16); with --library maximum of futures per strategy (default: 32)",
            1,
        ),
    ] = None,
    duration: Annotated[
        float | None,
        option(
            "--duration",
            "counted from the moment, if one is given; default: when the source ends",
            0,
        ),
    ] = None,
    within: Annotated[
        float | None,
        option(
            "--within",
            "counted from the moment; only futures that finish within it count; default: no limit",
            0,
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="for runs from the start: when to stop, e.g. width=0.2 (no interval is wider), seen=0.1 (all likelier"
            ' events were seen) or "delivered>0.9" (decided)',
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
            help="only with --at or --before: physics alone, at a fraction of the cost; fails with other models",
        ),
    ] = False,
    prior: Prior = None,
    variant: Variant = None,
    out: Annotated[
        Path | None,
        option(
            "--out",
            "folder for runs and page; default: runs/NAME_TIME for runs from the start, else nothing is written",
        ),
    ] = None,
    keep: Annotated[
        Keep, typer.Option(help="for runs from the start: which ones to keep")
    ] = Keep.ALL,
    engine: Engine = None,
    package: Packages = None,
) -> PagedResult:
    """Predict the outcome of a run from many runs, each with a new sample of the scenario's uncertain quantities.

    The scenario declares its uncertainty and its outcomes; a run succeeds if all outcomes occur. The 95 % confidence
    intervals stay valid however often they are checked.

    Without --at and --before, whole runs are simulated. With either option, many futures are simulated from that
    moment. With --library, each of its strategies is evaluated from the start or the moment, all on the same draws.
    Strategies that are significantly worse are dropped early; a strategy that fails too often is reported as critical.

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
    only_from_moment: dict[str, object] = {"--within": within, "--physics-only": physics_only}
    only_from_start: dict[str, object] = {"--until": until, "--keep": keep is not Keep.ALL}
    if from_start:
        check_none(
            only_from_moment | {"--prior": prior}, NOT_APPLICABLE, "--at, --before or --library"
        )
    else:
        check_none(only_from_start, NOT_APPLICABLE, "neither --at nor --before, nor --library")
    if library is not None:
        not_with_library = {"--physics-only": physics_only, "--cluster": cluster}
        check_none(not_with_library, NOT_APPLICABLE, "no --library")
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
    return PagedResult(forecast, _lines(forecast, out), code, page, out / FORECAST_FILE)


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
    warn_about_missing_experience(forecast.lacking, prior)
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
            metavar="ENTITY|NAME.PARAMETER",
            help="what may change; default: all uncertain quantities",
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

    The run's future is simulated with one entity moved, or one number changed, until at least nine in ten futures
    succeed while all other uncertain quantities vary. The scenario declares what is uncertain, and its outcomes define
    success. The exit code is 0 even if no change is found.

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
        start = f"{found.at_s:.2f} s"
        lines.append(f"{found.finished} futures were simulated, starting at {start} of the run")
    return Result(found.to_json(), lines)
