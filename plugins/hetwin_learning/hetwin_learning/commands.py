"""`hetwin learn`: thresholds, success rates and fidelity from labelled episodes and runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_suite.command import (
    BadInput,
    Episodes,
    Jobs,
    Result,
    Scenario,
    Seed,
    Variant,
    follow_study,
    json_text,
    option,
    table,
)

if TYPE_CHECKING:
    from hetwin_futures import SuccessRow
    from hetwin_learning.fidelity.candidate import Candidate
    from hetwin_learning.fidelity.learn_fidelity import CandidateScore, LearnedFidelity
    from hetwin_learning.learn import LearnedThresholds

app = typer.Typer(help="Learn from episodes and runs.", no_args_is_help=True, rich_markup_mode=None)
Label = Annotated[str, typer.Option(metavar="KEY", help="key of truth.json: whether it should act")]
Cache = Annotated[
    Path | None,
    typer.Option(
        "--cache",
        metavar="FOLDER",
        help="store the observations of each episode there, and reuse them next time",
    ),
]


@app.command()
def thresholds(
    scenario: Scenario,
    episodes: Episodes,
    trigger: Annotated[
        str | None, typer.Option(metavar="NAME", help="learn the thresholds of its condition")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="learn the thresholds of this model")
    ] = None,
    label: Label = "label",
    out: Annotated[Path | None, option("--out", "new file for the changed scenario")] = None,
    cache: Cache = None,
    jobs: Jobs = None,
    variant: Variant = None,
) -> Result:
    """Learn the thresholds of a trigger or a model from labelled episodes; only --out writes a scenario.

    Example: hetwin learn thresholds uncertain_environment --trigger grasp_begins --episodes labelled
    """
    from hetwin_learning.learn import learn
    from hetwin_learning.model_thresholds import ModelThresholds
    from hetwin_learning.trigger_thresholds import TriggerThresholds
    from hetwin_suite.episode import find_labelled
    from hetwin_suite.runs import find_scenario
    from hetwin_suite.study import Study

    if (model is None) is (trigger is None):
        raise BadInput(
            "thresholds are learned for one trigger or one model",
            where="--trigger, --model",
            found="neither" if model is None else "both",
            expected="one of them",
        )
    path, labelled = find_scenario(scenario), find_labelled(episodes)
    target: ModelThresholds | TriggerThresholds = (
        TriggerThresholds(path, variant, str(trigger))
        if model is None
        else ModelThresholds(path, variant, model)
    )
    study = Study(target, jobs=jobs)
    follow_study(study, lambda done: f"{len(done)} of {len(labelled)} episodes")
    learned = learn(study, target, labelled, label, cache)
    if out is not None:
        _write(out, learned.yaml(out.resolve().parent))
    return Result(learned, _threshold_lines(learned, out))


@app.command()
def success(
    scenario: Scenario,
    episodes: Episodes,
    prior_weight: Annotated[
        float, typer.Option(min=0, help="maximum weight of similar actions, in episodes")
    ] = 8.0,
    out: Annotated[Path | None, option("--out", "the table, as JSON; a new file")] = None,
    cache: Cache = None,
    jobs: Jobs = None,
    variant: Variant = None,
) -> Result:
    """Learn the success rate of each action from labelled episodes.

    Example: hetwin learn success uncertain_environment --episodes labelled --json
    """
    from hetwin_learning.action_watch import ActionWatcher
    from hetwin_learning.learn_success import learn_success
    from hetwin_suite.episode import find_labelled
    from hetwin_suite.runs import find_scenario
    from hetwin_suite.study import Study

    path, labelled = find_scenario(scenario), find_labelled(episodes)
    study = Study(ActionWatcher(path, variant), jobs=jobs)
    follow_study(study, lambda done: f"{len(done)} of {len(labelled)} episodes")
    rows = learn_success(study, labelled, prior_weight, cache)
    document = {"rows": [row.to_json() for row in rows]}
    if out is not None:
        _write(out, json_text(document) + "\n")
    return Result(document, _success_lines(rows))


@app.command()
def fidelity(
    scenario: Scenario,
    count: Annotated[int, option("-n", "draws, half of which are held out", 2)] = 8,
    tolerance: Annotated[
        float, typer.Option(min=0, help="maximum relative error of the number of moved objects")
    ] = 0.1,
    seed: Seed = 0,
    out: Annotated[Path | None, option("--out", "new file for the changed scenario")] = None,
    jobs: Jobs = None,
    variant: Variant = None,
) -> Result:
    """Learn the parameters of a scenario's fidelity_near_robot by runs; only --out writes a scenario.

    Example: hetwin learn fidelity truck_unloading --variant near_robot -n 2
    """
    from hetwin_learning.fidelity.learn_fidelity import learn_fidelity, max_runs
    from hetwin_learning.fidelity.moved_objects import MovedWatcher
    from hetwin_suite.runs import find_scenario
    from hetwin_suite.study import Study

    study = Study(MovedWatcher(find_scenario(scenario), variant), seed=seed, jobs=jobs)
    limit = max_runs(study.scenario, count)
    follow_study(study, lambda done: f"{len(done)} of at most {limit} runs")
    learned = learn_fidelity(study, count, tolerance)
    if out is not None:
        _write(out, learned.yaml(out.resolve().parent))
    return Result(learned, _fidelity_lines(learned))


def _write(out: Path, text: str) -> None:
    """Write a new file; an existing one is never overwritten.

    Raises:
        BadInput: if the file exists or cannot be written.
    """
    from hetwin_suite.command import write_text

    if out.exists():
        problem = "the file exists already"
        raise BadInput(problem, where="--out", found=str(out), expected="a new file")
    write_text(out, text, where="--out")


def _threshold_lines(learned: LearnedThresholds, out: Path | None) -> Iterator[str]:
    """Yield learned thresholds as lines of text."""
    rows = [
        (threshold.name, f"{threshold.value:g}", f"{value:g}")
        for threshold, value in zip(learned.thresholds, learned.values, strict=True)
    ]
    yield from table(("compared", "before", "learned"), rows)
    yield from learned.expressions
    accuracy = learned.held_out
    yield (
        f"right on held-out episodes: {accuracy.accuracy:.0%} of {accuracy.of}; before {accuracy.accuracy_before:.0%}"
    )
    yield learned.yaml() if out is None else f"scenario: {out}"


def _success_lines(rows: list[SuccessRow]) -> Iterator[str]:
    """Yield success rates as lines of text."""
    yield from table(
        ("action", "arguments", "succeeded", "probability", "interval", "similar objects"),
        [
            (
                row.action,
                ", ".join(_argument_text(key, value) for key, value in row.arguments.items()),
                f"{row.succeeded} of {row.of}",
                f"{row.p:.0%}",
                f"{row.low:.0%} to {row.high:.0%}",
                ", ".join(row.prior.source),
            )
            for row in rows
        ],
    )


def _argument_text(key: str, value: Any) -> str:
    if not isinstance(value, dict):
        return f"{key}: {value}"
    parts = [f"{name.replace('_', ' ')} {bound:g}" for name, bound in value.items()]
    return f"{key} {', '.join(parts)}"


def _fidelity_lines(learned: LearnedFidelity) -> Iterator[str]:
    columns = ("inflation [m]", "rest steps", "interval [s]", "real time", "speedup", "error", "of")
    yield from table(columns, [_score_row(row) for row in learned.rows])
    yield "on held-out draws: the chosen parameters, then the scenario's:"
    yield from table(columns, [_score_row(learned.held_out), _score_row(learned.held_out_before)])
    yield learned.yaml()


def _score_row(row: CandidateScore) -> tuple[str, ...]:
    error = f"{row.error:+.1%} ({row.error_low:+.1%} to {row.error_high:+.1%})"
    speeds = f"{row.real_time_factor:.2f}", f"{row.speedup:.2f}"
    return (*_candidate(row.candidate), *speeds, error, str(row.of))


def _candidate(candidate: Candidate) -> tuple[str, str, str]:
    if candidate.inflation is None:
        return "all high", "", ""
    return f"{candidate.inflation:g}", str(candidate.rest_steps), f"{candidate.interval:g}"
