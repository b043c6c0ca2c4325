"""`hetwin run`: replay a recording through an ensemble."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.supervision.interrupts import Interrupted
from hetwin_suite._commands.options import (
    AsJson,
    Engine,
    Foxglove,
    Namespace,
    OpenPage,
    OptionalScenario,
    Pace,
    Packages,
    PageHost,
    PagePort,
    SceneGiven,
    Source,
    StampsGiven,
    Trust,
    UnitsGiven,
    Variant,
    Viewers,
    check_none,
    checked_pace,
    option,
    start_options,
)
from hetwin_suite._commands.result import PagedResult, line_printer
from hetwin_suite.view.viewers import requested_viewers


class Transport(StrEnum):
    """Where the models run."""

    LOCAL = "local"
    ROS = "ros"


def run(
    scenario: OptionalScenario = None,
    source: Source = None,
    transport: Annotated[
        Transport | None,
        typer.Option(
            help="local: one process; ros: one ROS 2 node per model; default: ros if the source is commands"
        ),
    ] = None,
    out: Annotated[
        Path | None, option("--out", "folder for log and report; default: runs/NAME_TIME")
    ] = None,
    scene: SceneGiven = None,
    seed: Annotated[int | None, option("--seed", "default: the scenario's, or 0", 0)] = None,
    duration: Annotated[float | None, option("--duration", "default: end of the source", 0)] = None,
    namespace: Namespace = "",
    engine: Engine = None,
    in_process: Annotated[
        str,
        typer.Option(help="with --transport ros: models in the conductor's process, or all"),
    ] = "",
    elsewhere: Annotated[
        str,
        typer.Option(help="with --transport ros: models whose nodes you start on other hosts"),
    ] = "",
    package: Packages = None,
    stamps: StampsGiven = None,
    units: UnitsGiven = None,
    variant: Variant = None,
    checkpoint: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            metavar="T",
            help="save the run after T simulated seconds, for --from",
        ),
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="continue a checkpoint; without SCENARIO"),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 unless the run's verdict is fine")
    ] = False,
    require: Annotated[
        str,
        typer.Option(
            metavar="CLAIMS",
            help="exit with 1 unless these claims were checked and hold, e.g. grips,touches",
        ),
    ] = "",
    show: Annotated[
        bool, typer.Option("--show", help="show it in the browser while it runs")
    ] = False,
    hold: Annotated[
        bool,
        typer.Option("--hold", help="with --show or --foxglove: wait there before the first step"),
    ] = False,
    pace: Pace = None,
    port: PagePort = None,
    browser: OpenPage = True,
    host: PageHost = "127.0.0.1",
    foxglove: Foxglove = None,
    single_steps: Annotated[
        bool,
        typer.Option(
            "--single-steps",
            help="compute each physics step by a call of its own, in one process; same results, but slower",
        ),
    ] = False,
    trust: Trust = False,
    viewer: Viewers = None,
    as_json: AsJson = False,
) -> PagedResult:
    """Run a scenario and report what happened.

    For example:

    hetwin run pick_and_place

    hetwin run pick_and_place --transport ros --duration 1

    hetwin run pick_and_place --source my_recording --out runs/today

    hetwin run pick_and_place --source live --duration 10

    hetwin run lab_robot --duration 2

    hetwin run pick_and_place --strict

    hetwin run pick_and_place --require grips,touches

    hetwin run pick_and_place --show --pace 4

    hetwin run pick_and_place --checkpoint 2 --out runs/saved

    hetwin run --from runs/saved/checkpoint.json.gz
    """
    # imported here to keep `hetwin --help` fast
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_suite.cli import outcome
    from hetwin_suite.cli.outcome import required_claims
    from hetwin_suite.running.carry_out import execute_run
    from hetwin_suite.running.progress import Progress
    from hetwin_suite.running.request import RunRequest, default_transport
    from hetwin_suite.scaffolding.by_hand import RecordingOptions

    try:
        required = required_claims(require)
        checked_pace(pace)
        viewers = requested_viewers(viewer, foxglove)
        shown, problem = show or bool(viewers), "nothing could continue the run"
        _check(shown or not hold, problem, "--hold", "--show or --foxglove beside it")
        request = RunRequest(
            *(scenario or "", RunOptions(duration=duration), out, hold, pace, checkpoint),
            namespace=namespace,
            in_process=in_process,
            elsewhere=elsewhere,
        )
        if from_file is not None:
            given: dict[str, object] = {"SCENARIO": scenario, "--source": source}
            given |= {"--scene": scene, "--seed": seed, "--engine": engine}
            given |= {"--variant": variant, "--package": package}
            given |= {"--stamps": stamps, "--units": units, "--transport": transport}
            check_none(given, "a checkpoint contains this already", "--from without it")
            request = request.resume_from(from_file, trust=trust)
            scenario = request.scenario
        else:
            wanted = "a scenario, or --from with a checkpoint"
            _check(scenario is not None, "there is nothing to run", "SCENARIO", wanted)
            named = RecordingOptions.of(stamps, units).source(source)
            options = replace(
                start_options(named, scene, engine, package, variant, duration),
                seed=seed,
                transport=transport.value
                if transport
                else default_transport(request.scenario, source, variant),
                single_steps=single_steps,
            )
            found, wanted = f"--transport {options.transport}", "--transport local"
            for is_asked, only, name in (
                (checkpoint is not None, "only a run in one process can be saved", "--checkpoint"),
                (single_steps, "only a run in one process has this option", "--single-steps"),
            ):
                _check(found == wanted or not is_asked, only, name, wanted, found)
            request = replace(request, options=options)
        with Progress(Path(request.scenario).stem, quiet=as_json) as progress:
            if shown:
                from hetwin_suite.running.shown import ViewSettings, execute_shown_run

                window = ViewSettings(host, port, browser, show, viewers)
                say = line_printer(as_json=as_json)
                ended = execute_shown_run(request, progress, window, say)
            else:
                ended = execute_run(request, progress, watched=True)
    except Interrupted as interrupt:
        name = scenario or str(from_file)
        text = f"{name}: stopped, {interrupt} before the run began; nothing was saved"
        print(text, file=sys.stderr)
        stopped = {"scenario": name, "ended": "stopped", "error": None}
        return PagedResult(stopped, code=interrupt.code)
    missed_claims = outcome.missed_claims(ended, required)
    for text in missed_claims:
        print(f"required: {text}", file=sys.stderr)
    is_wrong = bool(missed_claims) or (strict and not outcome.is_fine(ended))
    code = ended.code or int(is_wrong)
    page = outcome.page_of(ended.folder)
    lines = outcome.lines(ended, events=not outcome.one_screen())
    return PagedResult(outcome.document(ended), lines, code, page)


def _check(fits: bool, problem: str, where: str, expected: str, found: object = None) -> None:
    """Check a condition on the options.

    Raises:
        BadInput: if `fits` is false.
    """
    if not fits:
        raise BadInput(problem, where=where, found=found, expected=expected)
