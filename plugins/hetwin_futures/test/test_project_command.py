"""`hetwin predict`: many short runs of a shipped scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused
from support.programs import write_programmed

SHORT = ("--duration", "0.05", "--no-page")


def project(out: Path, *arguments: str) -> dict[str, Any]:
    """The JSON of a batch of short runs."""
    said = hetwin("predict", "pick_and_place", *SHORT, "--out", out, "--json", *arguments)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


@pytest.fixture(scope="module")
def batch(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Four runs by two workers."""
    return project(tmp_path_factory.mktemp("batch") / "out", "-n", "4", "--jobs", "2")


def varied(batch: dict[str, Any]) -> list[dict[str, Any]]:
    """All of the runs that must not depend on who runs them."""
    return [{key: run[key] for key in run if key != "folder"} for run in batch["runs"]]


def test_a_batch_has_all_that_is_promised(batch: dict[str, Any]) -> None:
    assert list(batch) == [
        *("samples", "stopped", "runs_per_minute", "outcomes", "flaws", "runs", "related", "page")
    ]
    assert batch["samples"] == 4
    assert not batch["stopped"]
    outcome = batch["outcomes"]["delivered"]
    assert (outcome["yes"], outcome["of"]) == (0, 4)
    assert outcome["low"] == 0.0
    assert 0.4 < outcome["high"] < 0.9
    for index, run in enumerate(batch["runs"]):
        assert run["index"] == index
        assert run["outcomes"] == {"delivered": False}
        assert list(run["inputs"]) == ["box.pose.x", "box.pose.y", "box.pose.yaw"]
        assert len(run["digest"]) == 64
        assert run["error"] is None


def test_every_run_is_drawn_anew(batch: dict[str, Any]) -> None:
    assert len({run["digest"] for run in batch["runs"]}) == 4


def test_each_run_is_kept_without_a_page(batch: dict[str, Any]) -> None:
    for run in batch["runs"]:
        names = {path.name for path in Path(run["folder"]).iterdir()}
        assert names >= {"log", "summary.json"}
        assert "report.html" not in names


def test_the_number_of_workers_changes_nothing(batch: dict[str, Any], tmp_path: Path) -> None:
    alone = project(tmp_path / "out", "-n", "4", "--jobs", "1", "--keep", "none")
    assert varied(alone) == varied(batch)
    assert [run["folder"] for run in alone["runs"]] == [None] * 4
    assert not list((tmp_path / "out" / "runs").glob("*"))


def test_a_rule_ends_a_batch_at_the_same_run_for_any_number_of_workers(tmp_path: Path) -> None:
    more = ("-n", "9", "--until", "delivered<0.8")
    alone = project(tmp_path / "one", *more, "--jobs", "1")
    both = project(tmp_path / "two", *more, "--jobs", "2")
    assert alone["stopped"]
    assert both["stopped"]
    assert varied(alone) == varied(both)
    assert alone["samples"] < 9
    assert alone["outcomes"]["delivered"]["high"] < 0.8
    kept = sorted(path.name for path in (tmp_path / "two" / "runs").iterdir())
    assert kept == [f"{index:04d}" for index in range(alone["samples"])]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ("{bxo: {pose: {yaw: 0.1}}}", ("uncertainty.bxo", "bxo", "'box'")),
        ("{box: {pose: {sigma: [-0.1, 0, 0]}}}", ("uncertainty.box.pose.sigma", "at least 0")),
        ("{box: {mass: {sigma: -1}}}", ("uncertainty.box.mass.sigma", "equal to 0")),
        ("{box: {colour: {sigma: 1}}}", ("uncertainty.box.colour", "pose, carries, mass")),
        ("{grasp: {hold: {sigma: 1}}}", ("uncertainty.grasp.hold", "no such parameter")),
        ("{gripper: {pose: {yaw: 0.1}}}", ("uncertainty.gripper.pose", "no pose", "box")),
    ],
)
def test_what_cannot_be_uncertain_is_refused(
    changed: str, says: tuple[str, ...], tmp_path: Path
) -> None:
    scenario = tmp_path / "changed.yaml"
    write_changed(scenario, f"uncertainty: {changed}")
    refused(tmp_path, "predict", scenario, "-n", "1", "--out", tmp_path / "x", says=says)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ('holds(on("box", "tray")', ("outcomes.good", "syntax")),
        ('holds(onn("box", "tray"), at(end))', ("outcomes.good", "onn")),
        ('holds(on("bxo", "tray"), at(end))', ("outcomes.good", "bxo")),
        ("1 + 1", ("outcomes.good", "true or false")),
    ],
)
def test_an_outcome_that_says_nothing_is_refused(
    question: str, says: tuple[str, ...], tmp_path: Path
) -> None:
    scenario = tmp_path / "changed.yaml"
    write_changed(scenario, f"outcomes: {{good: '{question}'}}")
    refused(tmp_path, "predict", scenario, "-n", "1", "--out", tmp_path / "x", says=says)


@pytest.mark.parametrize("rule", ["width=2", "width", "delivered=0.5", "delivred>0.5"])
def test_a_rule_that_is_none_is_refused(rule: str, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "x")
    refused(tmp_path, "predict", "pick_and_place", "--until", rule, *out, says=("--until",))


def test_a_batch_whose_runs_all_fail_says_why_and_fails(tmp_path: Path) -> None:
    program = "def program(robot):\n    robot.wait(0.1)\n    raise ValueError('no plan')\n"
    scenario = write_programmed(tmp_path, program)
    two = ("-n", "2", "--no-page", "--json", "--out", tmp_path / "out")
    said = hetwin("predict", scenario, *two)
    assert said.code == 1
    found = json.loads(said.out)
    assert [run["index"] for run in found["runs"]] == [0, 1]
    for run in found["runs"]:
        assert "no plan" in run["error"]
        assert (Path(run["folder"]) / "summary.json").exists()


def test_a_program_that_is_not_there_is_refused(tmp_path: Path) -> None:
    scenario = write_programmed(tmp_path, "def other(robot):\n    robot.wait(0.1)\n")
    one = ("-n", "1", "--out", tmp_path / "out")
    refused(tmp_path, "predict", scenario, *one, says=("source.program", "work:program"))


def test_no_samples_are_refused(tmp_path: Path) -> None:
    said = hetwin("predict", "pick_and_place", "-n", "0", "--out", tmp_path / "x")
    assert said.code == 2
    assert "-n" in said.err


def write_changed(path: Path, line: str) -> None:
    """Write a scenario that differs from the shipped one in one key."""
    from hetwin_core.ensemble.scenario.scenario import find_scenario

    shipped = find_scenario("pick_and_place").read_text()
    key = line.partition(":")[0]
    kept = [
        block
        for block in shipped.replace("\n\n", "\n\f").split("\f")
        if not block.startswith(f"{key}:")
    ]
    path.write_text("".join(kept) + "\n" + line + "\n")
