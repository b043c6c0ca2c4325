"""Studies whose runs repeat a finished run, or a recorded episode, which is run once first."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hetwin_suite.episode import Episode, is_episode, scenario_of
from hetwin_suite.harness import distrust
from hetwin_suite.model import BadInput
from hetwin_suite.runs import RunLog, find_scenario, load_scenario
from hetwin_suite.source import SourceKind
from hetwin_suite.study import RunOptions, Study, run_once
from hetwin_suite.tables import Tables, finished_tables, open_tables

_FILES = (SourceKind.RECORDING, SourceKind.TRAJECTORY)


def study_of(episode: Path, out: Path, *, trust: bool = False) -> tuple[Study, Tables]:
    """Return a study whose runs repeat a finished run, and the tables of that run.

    Args:
        episode: folder of the run, or of a recorded episode, which is run once first.
        out: folder for the run of a recorded episode.
        trust: whether code in the scenario's folder may be run.

    Raises:
        BadInput: if the folder holds neither, the run cannot be repeated, or it needs code that is not trusted.
        HetwinError: if the run fails.
    """
    if not is_episode(episode):
        return _study_of_run(episode, trust)
    scenario = _find_trusted_scenario(scenario_of(episode), episode, trust)
    study = Study(scenario, RunOptions(source=str(episode)))
    run_logged(study, out)
    return study, open_tables(out)


def run_logged(study: Study, out: Path) -> None:
    """Compute and log one run without drawn values.

    Args:
        study: study of the run.
        out: folder for log and summary; must not contain a run.

    Raises:
        HetwinError: if the run fails.
    """
    log = RunLog(out, state_rate=study.scenario.file.log.state_rate)
    run_once(study.scenario, study.options, [log])


def _find_trusted_scenario(name: str, named_by: Path, trust: bool) -> Path:
    """Return the file of the scenario that a run or an episode names."""
    file = find_scenario(name)
    distrust(file, None if trust else named_by)
    return file


def _study_of_run(run: Path, trust: bool) -> tuple[Study, Tables]:
    tables = finished_tables(run)
    episode = Episode.open(run)
    inputs = episode.given
    if "scenario" not in inputs:
        raise BadInput(
            "the log does not contain the inputs of the run",
            file=run,
            expected="a run of this version of hetwin, or an episode's folder",
        )
    scenario = load_scenario(
        _find_trusted_scenario(episode.description["scenario_file"], run, trust), inputs["variant"]
    )
    options = RunOptions(
        source=_source(inputs["source"], run),
        scene=inputs["scene"],
        seed=inputs["seed"],
        duration=inputs["duration"],
        variant=inputs["variant"],
    )
    return Study(scenario, options), tables


def _source(specs: Mapping[str, Mapping[str, Any]], run: Path) -> str | None:
    """Return the recording or trajectory that the run was given; None if it used the scenario's source."""
    if len(specs) != 1:
        return None
    ((_, spec),) = specs.items()
    path = next((spec[kind] for kind in _FILES if isinstance(spec.get(kind), str)), None)
    if path is not None and not Path(path).exists():
        raise BadInput(
            "the run's source does not exist any more",
            file=run,
            found=path,
            expected="the recording that it was made from",
        )
    return path
