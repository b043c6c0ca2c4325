"""The run that is to be explained: one that is over, or a recorded episode that is run first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.episode_folder import SCENE, is_episode
from hetwin_core.ensemble.scenario.scenario import Scenario, find_scenario, load_scenario
from hetwin_core.ensemble.scenario.source import SourceKind
from hetwin_core.projection.comparing.side import open_side
from hetwin_core.projection.log_writer import RunLog
from hetwin_core.projection.tables.open import open_tables
from hetwin_core.projection.tables.tables import Tables
from hetwin_suite.futures.making import run_once

_FILES = (SourceKind.RECORDING, SourceKind.TRAJECTORY)


class AskedRun(NamedTuple):
    """A run, and how to make it again.

    Attributes:
        scenario: what was run.
        options: what its start said.
        tables: what happened.
    """

    scenario: Scenario
    options: RunOptions
    tables: Tables


def asked_run(episode: Path, out: Path) -> AskedRun:
    """Return a run by its folder; a recorded episode is run first.

    Args:
        episode: the folder.
        out: where an episode is run.

    Raises:
        BadInput: if the folder holds neither, or the run cannot be made again.
        HetwinError: if the run fails.
    """
    return _of_episode(episode, out) if is_episode(episode) else _of_run(episode)


def _of_episode(episode: Path, out: Path) -> AskedRun:
    file = episode / SCENE
    try:
        name = json.loads(file.read_text(encoding="utf-8"))["scenario"]
    except (OSError, ValueError, KeyError, TypeError):
        raise BadInput(
            "the episode does not say of which scenario it is",
            file=file,
            where="scenario",
            expected="the name of a scenario, as hetwin record writes it",
        ) from None
    scenario = load_scenario(find_scenario(str(name)))
    options = RunOptions(source=str(episode))
    run_once(scenario, options, [RunLog(out, state_rate=scenario.file.log.state_rate)])
    return AskedRun(scenario, options, open_tables(out))


def _of_run(run: Path) -> AskedRun:
    side = open_side(run)
    given = side.given
    if "scenario" not in given:
        raise BadInput(
            "the log does not say what the run was given",
            file=run,
            expected="a run of this version of hetwin, or an episode's folder",
        )
    scenario = load_scenario(find_scenario(side.facts["scenario_file"]), given["variant"])
    options = RunOptions(
        source=_source(given["source"], run),
        scene=given["scene"],
        seed=given["seed"],
        duration=given["duration"],
        variant=given["variant"],
    )
    return AskedRun(scenario, options, side.tables)


def _source(specs: Mapping[str, Mapping[str, Any]], run: Path) -> str | None:
    """Return the source that the run was given; None if the scenario says it."""
    if len(specs) != 1:
        return None
    ((_, spec),) = specs.items()
    path = next((spec[kind] for kind in _FILES if isinstance(spec.get(kind), str)), None)
    if path is not None and not Path(path).exists():
        raise BadInput(
            "the run's source is no longer there",
            file=run,
            found=path,
            expected="the recording that it was made from",
        )
    return path
