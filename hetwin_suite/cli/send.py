"""`hetwin robot send`: rehearse a motion in the twin, and let the robot do it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hetwin_suite._commands.options import (
    Engine,
    Namespace,
    Packages,
    Scenario,
    SceneGiven,
    start_options,
)
from hetwin_suite._commands.result import Result
from hetwin_suite.cli.robot import no_ros

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
    namespace: Namespace = "",
    rehearse_only: Annotated[
        bool, typer.Option("--rehearse-only", help="send nothing; no robot is needed")
    ] = False,
    scene: SceneGiven = None,
    engine: Engine = None,
    package: Packages = None,
) -> Result:
    """Rehearse a motion in the twin; only one that breaks no rule goes to the robot.

    The scenario must allow it under commands. While the robot moves, the service hetwin/stop_robot, SIGINT and SIGTERM
    stop it. For example:

    hetwin robot send pick_and_place scenarios/goals/over_the_table.yaml --rehearse-only
    """
    from hetwin_core.ensemble.resources import find
    from hetwin_suite.commanding.send import Commander

    options = start_options(None, scene, engine, package, None)
    commander = Commander.of(scenario, find(str(goal)) or goal, options)
    outcome = commander.rehearse_only() if rehearse_only else _sent(commander, namespace)
    return Result(outcome, _lines(scenario, outcome), int(not outcome.ok))


def _lines(scenario: str, outcome: Outcome) -> Iterator[str]:
    rehearsal = outcome.rehearsal
    yield f"{Path(scenario).stem}: {outcome.result.value}, a motion of {rehearsal.duration:.2f} s"
    for refusal in rehearsal.refused:
        print(f"  {refusal}", file=sys.stderr)


def _sent(commander: Commander, namespace: str) -> Outcome:
    try:
        from hetwin_suite.commanding.link.sending import send as send_to
    except ImportError as error:
        raise no_ros(error, "; or --rehearse-only") from None
    return send_to(commander, namespace)
