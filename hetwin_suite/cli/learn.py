"""`hetwin learn`: what labelled episodes teach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hetwin_suite.cli.options import AsJson, Jobs, Scenario, Variant
from hetwin_suite.cli.studying import followed
from hetwin_suite.cli.tables import show_table

if TYPE_CHECKING:
    from hetwin_suite.futures.learning.learn import Learned
    from hetwin_suite.futures.learning.rows import Row


def learn(
    scenario: Scenario,
    episodes: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="labelled episodes, as hetwin record writes them"),
    ] = None,
    trigger: Annotated[
        str | None, typer.Option(metavar="NAME", help="learn the thresholds of its condition")
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="learn the thresholds of this model")
    ] = None,
    success: Annotated[
        bool, typer.Option("--success", help="learn how probable it is that each action succeeds")
    ] = False,
    fidelity: Annotated[
        bool,
        typer.Option("--fidelity", help="learn the parameters of its fidelity_near_robot, by runs"),
    ] = False,
    samples: Annotated[
        int, typer.Option(min=2, help="with --fidelity: draws; half of them are held out")
    ] = 8,
    tolerance: Annotated[
        float,
        typer.Option(min=0, help="with --fidelity: share by which what moves may differ"),
    ] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="with --fidelity: of the draws")] = 0,
    label: Annotated[
        str, typer.Option(metavar="KEY", help="of truth.json: whether the thing is to act")
    ] = "label",
    prior_weight: Annotated[
        float, typer.Option(min=0, help="with --success: as how many episodes kin count at most")
    ] = 8.0,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write the scenario, or the table, there")
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="keep what was seen of each episode for the next time"),
    ] = None,
    jobs: Jobs = None,
    variant: Variant = None,
    as_json: AsJson = False,
) -> None:
    """Learn thresholds, how often actions succeed, or what fidelity is needed; changes nothing by itself.

    For example:

    hetwin learn uncertain_environment --trigger grasp_begins --episodes labelled

    hetwin learn uncertain_environment --success --episodes labelled --json
    """
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.ensemble.scenario.scenario import find_scenario
    from hetwin_core.episodes.labelled import find_labelled
    from hetwin_suite.cli.learned_fidelity import tell_fidelity
    from hetwin_suite.futures.learning.fidelity.learn_fidelity import learn_fidelity, most_runs
    from hetwin_suite.futures.learning.fidelity.moving import Moving
    from hetwin_suite.futures.learning.learn import learn as learn_thresholds
    from hetwin_suite.futures.learning.learn_success import learn_success
    from hetwin_suite.futures.learning.of_actions import OfActions
    from hetwin_suite.futures.learning.of_model import OfModel
    from hetwin_suite.futures.learning.of_trigger import OfTrigger
    from hetwin_suite.futures.runs.study import Study

    asked = {
        "--trigger": trigger is not None,
        "--model": model is not None,
        "--success": success,
        "--fidelity": fidelity,
    }
    if sum(asked.values()) != 1:
        found = [option for option, given in asked.items() if given]
        raise BadInput(
            "one thing is learned at a time",
            where="hetwin learn",
            found=" ".join(found) or "none of them",
            expected="one of --trigger NAME, --model NAME, --success, --fidelity",
        )
    path = find_scenario(scenario)
    if fidelity:
        _check_no_episodes({"--episodes": episodes, "--keep": keep})
        study = Study(Moving(path, variant), seed=seed, jobs=jobs)
        most = most_runs(study.scenario, samples)
        followed(study, lambda done: f"{len(done)} of at most {most} runs")
        weighed = learn_fidelity(study, samples, tolerance)
        if out is not None:
            _write(out, weighed.yaml(out.resolve().parent))
        tell_fidelity(weighed, as_json)
        return
    if episodes is None:
        raise BadInput(
            "there are none", where="--episodes", expected="a folder with labelled episodes"
        )
    found_episodes = find_labelled(episodes)
    of: OfModel | OfTrigger = (
        OfModel(path, variant, model)
        if model is not None
        else OfTrigger(path, variant, str(trigger))
    )
    study = Study(OfActions(path, variant) if success else of, jobs=jobs)
    followed(study, lambda done: f"{len(done)} of {len(found_episodes)} episodes")
    if success:
        rows = learn_success(study, found_episodes, prior_weight, keep)
        _tell({"rows": [row.to_json() for row in rows]}, out, as_json, lambda: _show_rows(rows))
        return
    learned = learn_thresholds(study, of, found_episodes, label, keep)
    if out is not None:
        _write(out, learned.yaml(out.resolve().parent))
    if as_json:
        print(json.dumps(learned.to_json(), indent=2))
    else:
        _show(learned, out)


def _check_no_episodes(given: dict[str, Path | None]) -> None:
    """Check that nothing is given that learning fidelity would ignore.

    Raises:
        BadInput: if something is.
    """
    from hetwin_core.ensemble.errors import BadInput

    for option, value in given.items():
        if value is not None:
            raise BadInput(
                "this does not go with --fidelity",
                where=option,
                found=str(value),
                expected="no episodes: it learns from runs of its own, which are not kept",
            )


def _tell(found: dict[str, Any], out: Path | None, as_json: bool, show: Any) -> None:
    if out is not None:
        _write(out, json.dumps(found, indent=2) + "\n")
    if as_json:
        print(json.dumps(found, indent=2))
    else:
        show()


def _write(out: Path, text: str) -> None:
    """Write a file; never over another one.

    Raises:
        BadInput: if there is one, or it cannot be written.
    """
    from hetwin_core.ensemble.errors import BadInput
    from hetwin_core.ensemble.writing import write_text

    if out.exists():
        problem = "there is a file of this name"
        raise BadInput(problem, where="--out", found=str(out), expected="a new file")
    write_text(out, text, where="--out")


def _show(learned: Learned, out: Path | None) -> None:
    """Print thresholds for a person."""
    rows = [
        (one.name, f"{one.value:g}", f"{value:g}")
        for one, value in zip(learned.thresholds, learned.values, strict=True)
    ]
    show_table(("compared", "before", "learned"), rows)
    for text in learned.expressions:
        print(text)
    held = learned.held_out
    print(
        f"right on held-out episodes: {held.accuracy:.0%} of {held.of}; before {held.accuracy_before:.0%}"
    )
    print(learned.yaml() if out is None else f"scenario: {out}")


def _show_rows(rows: list[Row]) -> None:
    """Print successes for a person."""
    show_table(
        ("action", "arguments", "succeeded", "probability", "interval", "as its kin"),
        [
            (
                row.action,
                ", ".join(_words(key, value) for key, value in row.arguments.items()),
                f"{row.succeeded} of {row.of}",
                f"{row.p:.0%}",
                f"{row.low:.0%} to {row.high:.0%}",
                ", ".join(row.prior.source),
            )
            for row in rows
        ],
    )


def _words(key: str, value: Any) -> str:
    if not isinstance(value, dict):
        return f"{key}: {value}"
    parts = [f"{name.replace('_', ' ')} {bound:g}" for name, bound in value.items()]
    return f"{key} {', '.join(parts)}"
