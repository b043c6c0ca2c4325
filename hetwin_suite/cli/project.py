"""`hetwin project`: many runs of a scenario with what is uncertain drawn anew."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite.cli.options import (
    AsJson,
    ClusterAddress,
    Engine,
    Jobs,
    Packages,
    Scenario,
    SceneGiven,
    Variant,
    package_folders,
    scene_object,
)
from hetwin_suite.cli.tables import show_table
from hetwin_suite.futures.keep import Keep

if TYPE_CHECKING:
    from hetwin_suite.futures.batch import Batch
    from hetwin_suite.futures.run_result import RunResult

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
    seed: Annotated[
        int, typer.Option(min=0, help="of the batch; each run's draw follows from it and its index")
    ] = 0,
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
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_core.projection.new_run import new_run_folder
    from hetwin_suite.futures.batch import run_batch
    from hetwin_suite.futures.counting.until import read_until
    from hetwin_suite.futures.projecting import Projecting
    from hetwin_suite.futures.workers.cluster import Cluster
    from hetwin_suite.futures.workers.processes import Processes
    from hetwin_suite.running.patience import Patience, to_stderr

    options = RunOptions(
        source=source,
        scene=scene_object(scene),
        duration=duration,
        engine=engine,
        packages=package_folders(package),
        variant=variant,
    )
    folder = out or new_run_folder(Path("runs"), f"{Path(scenario).stem}_batch")
    job = Projecting(scenario, options, seed, _empty(folder).resolve(), keep)
    most = samples or (SAMPLES if until is None else ENOUGH)
    rule = None if until is None else read_until(until, job.loaded().scenario.file.outcomes)
    done: list[RunResult] = []
    patience = Patience(to_stderr)

    def look() -> None:
        good = sum(run.succeeded for run in done)
        patience.look(f"{len(done)} of {most} runs, {good} of them as wanted")

    workers = Processes(jobs, look) if cluster is None else Cluster(cluster, look)
    batch = run_batch(job, workers, most, rule, _warn, done.append)
    page = _page(batch, job.out, scenario, variant) if with_page else None
    if as_json:
        print(json.dumps(batch.to_json(), indent=2))
    else:
        _show(batch, folder)
        if page is not None:
            print(f"page: {page}")
    if all(run.error is not None for run in batch.runs):
        raise typer.Exit(1)


def _page(batch: Batch, out: Path, scenario: str, variant: str | None) -> Path:
    """Write the page, and beside it what `--json` prints."""
    from hetwin_core.ensemble.writing import write_atomically
    from hetwin_suite.futures.page.page import write_page
    from hetwin_suite.running.patience import never_silent

    with never_silent(lambda: "drawing the page"):
        title = Path(scenario).stem + (f", {variant}" if variant else "")
        page = write_page(batch, out, title)
        write_atomically(out / FOUND, json.dumps(batch.to_json(), indent=2) + "\n")
    return page


def _warn(text: str) -> None:
    from hetwin_suite.running.patience import to_stderr

    to_stderr(f"warning: {text}")


def _empty(folder: Path) -> Path:
    """Return the folder if nothing is in it yet.

    Raises:
        BadInput: if there is.
    """
    from hetwin_core.ensemble.errors import BadInput

    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise BadInput(
            "there is something already", where="--out", found=str(folder), expected="a new folder"
        )
    return folder


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
