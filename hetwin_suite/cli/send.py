"""`hetwin send`: rehearse a motion in the twin, and let the robot do it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli.options import (
    AsJson,
    Engine,
    Packages,
    Scenario,
    start_options,
)

if TYPE_CHECKING:
    from hetwin_suite.commanding.outcome import Outcome
    from hetwin_suite.commanding.send import Commander


def send(
    scenario: Scenario,
    goal: Annotated[
        Path,
        typer.Argument(
            help="YAML file with joints, tip, base, trajectory, grasp or release, or a list"
        ),
    ],
    to: Annotated[str, typer.Option(help="ROS namespace of the robot")] = "",
    rehearse_only: Annotated[
        bool, typer.Option("--rehearse-only", help="send nothing; no robot is needed")
    ] = False,
    scene: Annotated[str | None, typer.Option(help="where objects are, as for run")] = None,
    engine: Engine = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Rehearse a motion in the twin; only one that breaks no rule goes to the robot.

    The scenario must allow it under commands. While the robot moves, the service hetwin/stop_robot, SIGINT and SIGTERM
    stop it. For example:

    hetwin send pick_and_place scenarios/goals/over_the_table.yaml --rehearse-only
    """
    from hetwin_core.ensemble.resources import find
    from hetwin_suite.commanding.send import Commander

    options = start_options(None, scene, engine, package, None)
    commander = Commander.of(scenario, find(str(goal)) or goal, options)
    outcome = commander.rehearse_only() if rehearse_only else _sent(commander, to)
    if as_json:
        print(json.dumps(outcome.to_json(), indent=2))
    else:
        rehearsal = outcome.rehearsal
        print(
            f"{Path(scenario).stem}: {outcome.result.value}, a motion of {rehearsal.duration:.2f} s"
        )
        for refusal in rehearsal.refused:
            print(f"  {refusal}", file=sys.stderr)
    if not outcome.ok:
        raise typer.Exit(1)


def _sent(commander: Commander, to: str) -> Outcome:
    try:
        from hetwin_suite.commanding.link.sending import send as send_to
    except ImportError as error:
        raise BadInput(
            f"ROS 2 cannot be imported: {error}",
            where="hetwin send",
            expected="rclpy, from a sourced ROS 2 installation or from pip install hetwin-suite; or --rehearse-only",
        ) from None
    return send_to(commander, to)
