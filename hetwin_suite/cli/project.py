"""`hetwin project`: many runs of a scenario with what is uncertain drawn anew."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli.options import (
    AsJson,
    ClusterAddress,
    DrawSeed,
    Engine,
    Jobs,
    Packages,
    Scenario,
    SceneGiven,
    Variant,
    start_options,
)
from hetwin_suite.cli.studying import cluster_at, followed, kept_json, title_of
from hetwin_suite.cli.tables import show_table
from hetwin_suite.futures.runs.keep import Keep

if TYPE_CHECKING:
    from hetwin_suite.futures.batch import Batch
    from hetwin_suite.futures.runs.run_result import RunResult

FOUND = "project.json"
SAMPLES = 100
ENOUGH = 1000
"""A rule that is never satisfied ends here."""


def project(
    scenario: Scenario,
    samples: Annotated[
        int | None,
        typer.Option(
            min=1, help=f"runs; with --until the most; default: {SAMPLES}, {ENOUGH} with --until"
        ),
    ] = None,
    seed: DrawSeed = 0,
    jobs: Jobs = None,
    cluster: ClusterAddress = None,
    variant: Variant = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="RULE", help='stop when enough is known: width=0.2, "delivered>0.9"'),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="folder for runs and page; default: runs/NAME_TIME")
    ] = None,
    keep: Annotated[Keep, typer.Option(help="which runs to keep")] = Keep.ALL,
    source: Annotated[
        str | None, typer.Option(help="recording (rosbag2); default: the scenario's")
    ] = None,
    scene: SceneGiven = None,
    duration: Annotated[
        float | None, typer.Option(min=0.0, help="end each run after so many simulated seconds")
    ] = None,
    engine: Engine = None,
    package: Packages = None,
    with_page: Annotated[bool, typer.Option("--page/--no-page", help="write the page")] = True,
    as_json: AsJson = False,
) -> None:
    """Run a scenario many times, each with what is uncertain drawn anew, and say how likely its outcomes are.

    What is uncertain, and which outcomes count, the scenario says itself. The intervals hold at a confidence of 95 %,
    however often one looks at them. The exit code is 1 if all runs failed.

    For example:

    hetwin project pick_and_place --samples 3

    hetwin project pick_and_place --samples 2 --until width=0.3 --keep failed --json
    """
    from hetwin_core.episodes.new_run import new_run_folder
    from hetwin_suite.futures.batch import project as run_all
    from hetwin_suite.futures.counting.until import read_until
    from hetwin_suite.futures.runs.study import Study
    from hetwin_suite.running.patience import never_silent

    options = start_options(source, scene, engine, package, variant, duration)
    folder = out or new_run_folder(Path("runs"), f"{Path(scenario).stem}_batch")
    workers = cluster_at(cluster)
    study = Study(scenario, options, seed=seed, out=folder, keep=keep, jobs=jobs, workers=workers)
    most = samples or (SAMPLES if until is None else ENOUGH)
    rule = None if until is None else read_until(until, study.scenario.file.outcomes)

    def words(done: Sequence[RunResult]) -> str:
        good = sum(run.succeeded for run in done)
        return f"{len(done)} of {most} runs, {good} of them as wanted"

    followed(study, words)
    batch = run_all(study, most, rule)
    page: Path | None = None
    if with_page:
        from hetwin_suite.futures.page.page import write_page

        with never_silent(lambda: "drawing the page"):
            page = write_page(batch, folder.resolve(), title_of(scenario, variant))
            kept_json(batch, folder.resolve() / FOUND)
    if as_json:
        print(json.dumps(batch.to_json(), indent=2))
    else:
        _show(batch, folder)
        if page is not None:
            print(f"page: {page}")
    if all(run.error is not None for run in batch.runs):
        raise typer.Exit(1)


def _show(batch: Batch, folder: Path) -> None:
    """Print what came of a batch for a person."""
    ended = ", enough is known" if batch.stopped else ""
    print(f"{len(batch.runs)} runs, {batch.runs_per_minute:.0f} a minute{ended}")
    if batch.outcomes:
        shares = [
            (name, f"{s.yes} of {s.of}", f"{s.low:.2f} to {s.high:.2f}")
            for name, s in batch.outcomes.items()
        ]
        show_table(("outcome", "came about", "probability"), shares)
    if batch.flaws:
        show_table(("flaw", "runs"), [(kind, str(runs)) for kind, runs in batch.flaws.items()])
    if batch.related:
        strengths = [(name, f"{strength:.2f}") for name, strength in batch.related]
        show_table(("goes with failure", "strength"), strengths)
    for run in batch.runs:
        if run.error is not None:
            print(f"run {run.index} failed: {run.error}")
    print(f"runs: {folder / 'runs'}")
