"""`hetwin send`: rehearse a motion in the twin, and let the robot do it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.cli import completion
from hetwin_suite.cli.options import AsJson, Packages, Scenario, package_folders, scene_object


def send(
    scenario: Scenario,
    goal: Annotated[
        Path, typer.Argument(help="YAML file with joints, tip, base or trajectory, or a list")
    ],
    rehearse_only: Annotated[
        bool, typer.Option("--rehearse-only", help="send nothing; no robot is needed")
    ] = False,
    scene: Annotated[str | None, typer.Option(help="where objects are, as for run")] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            help="physics engine; default: the scenario's", autocompletion=completion.engines
        ),
    ] = None,
    package: Packages = None,
    as_json: AsJson = False,
) -> None:
    """Rehearse a motion in the twin; only one that breaks no rule goes to the robot.

    The scenario must allow it under commands. For example:

    hetwin send pick_and_place scenarios/goals/over_the_table.yaml --rehearse-only
    """
    if not rehearse_only:
        raise BadInput(
            "motions can be rehearsed, but not sent yet",
            where="hetwin send",
            expected="--rehearse-only",
        )
    from hetwin_core.ensemble.conductor.start.options import RunOptions
    from hetwin_core.ensemble.resources import find
    from hetwin_suite.commanding.send import Commander

    options = RunOptions(
        scene=scene_object(scene), engine=engine, packages=package_folders(package)
    )
    outcome = Commander.of(scenario, find(str(goal), None) or goal, options).rehearse_only()
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
