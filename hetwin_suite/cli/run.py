"""`hetwin run`: replay a recording through an ensemble."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hetwin_core.ensemble.conductor.options import RunOptions
from hetwin_core.ensemble.conductor.summary import error_row
from hetwin_core.ensemble.errors import HetwinError, RunFailed
from hetwin_core.ensemble.event_codec import event_from_summary
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.words import event_line, failure_row_words
from hetwin_core.projection.new_run import new_run_folder
from hetwin_core.projection.run_folder import LOG, check_free
from hetwin_suite.cli.json_option import json_object
from hetwin_suite.cli.placing import Placing
from hetwin_suite.cli.progress import Progress

SCENE = '{"ENTITY": {"pose": [x, y, z, qw, qx, qy, qz]}}'


class Transport(StrEnum):
    """Where the models run."""

    LOCAL = "local"
    ROS = "ros"


def run(
    scenario: Annotated[str, typer.Argument(help="scenario file, or name of one of hetwin's")],
    source: Annotated[
        str | None,
        typer.Option(
            help="recording (rosbag2), live, or live:ROBOT_NAMESPACE; default: the scenario's"
        ),
    ] = None,
    transport: Annotated[
        Transport, typer.Option(help="local: one process; ros: one ROS 2 node per model")
    ] = Transport.LOCAL,
    out: Annotated[
        Path | None, typer.Option(help="folder for log and report; default: runs/NAME_TIME")
    ] = None,
    scene: Annotated[
        str | None,
        typer.Option(
            help='where objects are, e.g. \'{"box": {"pose": [x, y, z, qw, qx, qy, qz]}}\''
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="default: the scenario's")] = None,
    duration: Annotated[
        float | None, typer.Option(min=0.0, help="end after so many simulated seconds")
    ] = None,
    namespace: Annotated[str, typer.Option(help="ROS namespace of all nodes")] = "",
    engine: Annotated[
        str | None, typer.Option(help="physics engine of the main model; default: the scenario's")
    ] = None,
    in_process: Annotated[
        str,
        typer.Option(help="with --transport ros: models in the conductor's process, or all"),
    ] = "",
    elsewhere: Annotated[
        str,
        typer.Option(help="with --transport ros: models whose nodes others start, on other hosts"),
    ] = "",
    with_report: Annotated[
        bool, typer.Option("--report/--no-report", help="write the page")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
) -> None:
    """Run a scenario and say what happened.

    For example:

    hetwin run pick_and_place

    hetwin run scenarios/pick_and_place.yaml --transport ros --json

    hetwin run my_scenario.yaml --source my_recording/ --out runs/today

    hetwin run my_scenario.yaml --source live --duration 60
    """
    try:
        options = RunOptions(
            source, json_object(scene, "--scene"), seed, duration, transport.value, engine
        )
        if transport is Transport.LOCAL:
            summary, code, folder = _run_locally(scenario, options, out)
        else:
            summary, code, folder = _run_over_ros(
                scenario, options, out, Placing(namespace, in_process, elsewhere)
            )
    except HetwinError as error:
        if as_json:
            print(json.dumps({"scenario": scenario, "ended": "failed", "error": _row(error)}))
        raise
    page = _report(folder) if with_report else None
    if as_json:
        print(json.dumps(_outcome(summary, folder, page), indent=2))
    else:
        _print(summary, folder, page)
    if code:
        raise typer.Exit(code)


def _run_locally(
    scenario: str, options: RunOptions, out: Path | None
) -> tuple[Mapping[str, Any], int, Path]:
    """The run's summary, exit code and folder."""
    from hetwin_suite.cli.watched_child import Order
    from hetwin_suite.cli.watched_run import run_watched

    return run_watched(Order(scenario, options, out))


def _run_over_ros(
    scenario: str, options: RunOptions, out: Path | None, placing: Placing
) -> tuple[Mapping[str, Any], int, Path]:
    from hetwin_suite.cli.ros_run import run_over_ros

    loaded = load_scenario(find_scenario(scenario))
    folder = out or new_run_folder(Path("runs"), loaded.name)
    check_free(folder)
    with Progress(loaded.name) as progress:
        summary, code = run_over_ros(loaded, options, folder, progress, placing)
    return summary, code, folder


def _row(error: HetwinError) -> Mapping[str, Any]:
    """An error that kept the run from having a summary."""
    if isinstance(error, RunFailed):
        return error_row(error) or {}
    return {"model": None, "call": "input", "time": 0.0, "reason": str(error)}


def _report(folder: Path) -> Path | None:
    """The page, if the run got as far as a log."""
    if not (folder / LOG).exists():
        return None
    from hetwin_core.projection.report import write_report

    try:
        return write_report(folder)
    except Exception as error:  # a run that went well must not fail for want of its page
        print(f"warning: no report: {error}", file=sys.stderr)
        return None


def _outcome(summary: Mapping[str, Any], folder: Path, page: Path | None) -> dict[str, Any]:
    log = folder / LOG
    return {
        **summary,
        "log": str(log.resolve()) if log.exists() else None,
        "report": str(page.resolve()) if page else None,
    }


def _print(summary: Mapping[str, Any], folder: Path, page: Path | None) -> None:
    error = summary["error"]
    print(f"{summary['scenario']}: {summary['ended']}", end="")
    print(
        f", {summary['simulated_time']:.2f} s simulated in {summary['wall_time']:.2f} s"
        f" (real-time factor {summary['real_time_factor']:.1f})"
    )
    for event in summary["events"]:
        if event["kind"] == "model":
            print(f"  {event['time']:8.3f} s  {event_line(event_from_summary(event))}")
    for name, value in summary["state"].items():
        print(f"  {name}: {str(value).lower()}")
    for failure in summary["failures"]:
        print(f"error: {failure_row_words(failure)}; {failure['then']}", file=sys.stderr)
    print(f"  log: {folder / LOG}")
    if page:
        print(f"  report: {page}")
    if error:
        print(f"error: {failure_row_words(error)}", file=sys.stderr)
