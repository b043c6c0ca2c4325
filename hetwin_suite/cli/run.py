"""`hetwin run`: replay a recording through an ensemble."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
    checked_pace,
    option,
    start_options,
)
from hetwin_suite._commands.result import PagedResult, saying
from hetwin_suite.view.viewers import viewers_asked

if TYPE_CHECKING:
    from hetwin_core.ensemble.conductor.conductor import Conductor
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_core.ensemble.scenario.scenario import Scenario as Loaded


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
            help="local: one process; ros: one ROS 2 node per model; default: ros if commands move the robot"
        ),
    ] = None,
    out: Annotated[
        Path | None, option("--out", "folder for log and report; default: runs/NAME_TIME")
    ] = None,
    scene: SceneGiven = None,
    seed: Annotated[int | None, option("--seed", "default: the scenario's, or 0", 0)] = None,
    duration: Annotated[
        float | None, option("--duration", "default: when the source does", 0)
    ] = None,
    namespace: Namespace = "",
    engine: Engine = None,
    in_process: Annotated[
        str,
        typer.Option(help="with --transport ros: models in the conductor's process, or all"),
    ] = "",
    elsewhere: Annotated[
        str,
        typer.Option(help="with --transport ros: models whose nodes others start, on other hosts"),
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
            help="save the run when T simulated seconds are over, for --from",
        ),
    ] = None,
    from_file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="go on from a checkpoint; without SCENARIO"),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 unless the run's verdict is fine")
    ] = False,
    require: Annotated[
        str,
        typer.Option(
            metavar="CLAIMS",
            help="exit with 1 unless these were checked and hold, e.g. grips,touches; whatever else was not seen",
        ),
    ] = "",
    show: Annotated[
        bool, typer.Option("--show", help="show it in the browser while it goes on")
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
    trust: Trust = False,
    viewer: Viewers = None,
    as_json: AsJson = False,
) -> PagedResult:
    """Run a scenario and say what happened.

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
    # imported here, for hetwin's --help must not wait for what a run needs
    from hetwin_suite.cli import outcome
    from hetwin_suite.cli.required_claims import required_claims
    from hetwin_suite.running.carry_out import carry_out
    from hetwin_suite.running.placing import Placing
    from hetwin_suite.running.progress import Progress
    from hetwin_suite.running.request import RunRequest
    from hetwin_suite.running.usual_transport import usual_transport
    from hetwin_suite.scaffolding.reading import Reading

    try:
        required = required_claims(require)
        placing = Placing(namespace, in_process, elsewhere)
        checked_pace(pace)
        viewers = viewers_asked(viewer, foxglove)
        _check_hold(hold=hold, show=show or bool(viewers))
        if from_file is not None:
            given: dict[str, object] = {"SCENARIO": scenario, "--source": source}
            given |= {"--scene": scene, "--seed": seed, "--engine": engine}
            given |= {"--variant": variant, "--package": package}
            given |= {"--stamps": stamps, "--units": units, "--transport": transport}
            _check_only_from(given)
            request = RunRequest.going_on_from(
                *(from_file, out, duration),
                hold=hold,
                pace=pace,
                checkpoint_s=checkpoint,
                trust=trust,
            )
            scenario = request.scenario
        else:
            scenario = _required(scenario)
            named = Reading.of(stamps, units).source(source)
            options = replace(
                start_options(named, scene, engine, package, variant, duration),
                seed=seed,
                transport=transport.value
                if transport
                else usual_transport(scenario, source, variant),
            )
            _check_local(options.transport, checkpoint)
            request = RunRequest(
                scenario, options, out, hold, pace, checkpoint, beside=_predicting_beside
            )
        with Progress(Path(scenario).stem, quiet=as_json) as progress:
            if show or viewers:
                from hetwin_suite.running.showing import Window, carry_out_shown

                window = Window(host, port, browser, show, viewers)
                say = saying(as_json=as_json)
                ended = carry_out_shown(request, progress, placing, window, say)
            else:
                ended = carry_out(request, progress, placing, watched=True)
    except Interrupted as interrupt:
        name = scenario or str(from_file)
        text = f"{name}: stopped, {interrupt} before the run began; nothing was saved"
        print(text, file=sys.stderr)
        stopped = {"scenario": name, "ended": "stopped", "error": None}
        return PagedResult(stopped, code=interrupt.code)
    missed = outcome.missed(ended, required)
    for text in missed:
        print(f"required: {text}", file=sys.stderr)
    is_wrong = bool(missed) or (strict and not outcome.is_fine(ended))
    code = ended.code or int(is_wrong)
    page = outcome.page_of(ended.folder)
    return PagedResult(outcome.document(ended), outcome.lines(ended), code, page)


def _predicting_beside(conductor: Conductor, scenario: Loaded, options: RunOptions) -> None:
    """Predict beside a twin what a live robot announces."""
    from hetwin_suite._study.foretelling.foreteller import predict_beside

    predict_beside(conductor, scenario, options)


def _required(scenario: str | None) -> str:
    if scenario is None:
        raise BadInput(
            "nothing says what is to be run",
            where="SCENARIO",
            expected="a scenario, or --from with a checkpoint",
        )
    return scenario


def _check_only_from(given: Mapping[str, object]) -> None:
    """Check that nothing is given that a checkpoint says itself.

    Raises:
        BadInput: if something is.
    """
    for name, value in given.items():
        if value is not None:
            raise BadInput(
                "a checkpoint says this itself",
                where=name,
                found=value,
                expected="--from without it",
            )


def _check_local(transport: str, checkpoint: float | None) -> None:
    """Check that a run that is to be saved has its models in one process.

    Raises:
        BadInput: if it has not.
    """
    if checkpoint is not None and transport != "local":
        raise BadInput(
            "only a run in one process can be saved",
            where="--checkpoint",
            found=f"--transport {transport}",
            expected="--transport local",
        )


def _check_hold(*, hold: bool, show: bool) -> None:
    """Check what says how a run begins.

    Raises:
        BadInput: if nothing could let it go on.
    """
    if hold and not show:
        raise BadInput(
            "nothing would let the run go on",
            where="--hold",
            expected="--show or --foxglove beside it",
        )
