"""`hetwin predict`: many short futures of a shipped scenario."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.hetwin_command import hetwin, refused

from hetwin_core.ensemble.conductor.conductor import session
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_futures.predicting import predict
from hetwin_suite._study.run_result import Moment
from hetwin_suite._study.study import Study
from hetwin_suite.cli.show import page_to_show

SHORT = ("pick_and_place", "--duration", "0.05", "--seed", "7", "--json")


def planned(joint: str, *times: float) -> str:
    """A source: a trajectory of a joint."""
    points = [{"positions": [0.1], "time_from_start": time} for time in times]
    return json.dumps({"plan": [{"trajectory": {"joint_names": [joint], "points": points}}]})


def forecast(*arguments: str | Path) -> dict[str, Any]:
    """The JSON of a prediction, without what differs from one time to the next."""
    said = hetwin("predict", *SHORT, *arguments)
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    for key in ("wall_s", "processor_s"):
        assert found.pop(key) > 0.0
    return found


@pytest.fixture(scope="module")
def four() -> dict[str, Any]:
    """Four futures, one at a time."""
    return forecast("--at", "0.5", "-n", "4", "--jobs", "1")


def test_a_forecast_has_all_that_is_promised(four: dict[str, Any]) -> None:
    assert list(four) == [
        *("at", "horizon", "seed", "futures", "predicates", "failures", "events", "deterministic"),
        *("decided", "success", "page"),
    ]
    assert (four["at"], four["horizon"], four["seed"]) == (0.5, 0.05, 7)
    assert four["futures"] == {"asked": 4, "finished": 4, "failed": 0}
    assert four["deterministic"]
    held = next(row for row in four["predicates"] if row["name"] == "holding(gripper)")
    assert (held["p"], held["low"], held["of"]) == (0.0, 0.0, 4)
    assert 0.48 < held["high"] < 0.50
    assert (four["decided"], four["success"], four["failures"]) == (False, None, [])


def test_the_same_question_gets_the_same_answer(four: dict[str, Any]) -> None:
    assert forecast("--at", "0.5", "-n", "4", "--jobs", "4") == four


def test_futures_begin_with_an_action(tmp_path: Path) -> None:
    found = forecast("--before", "reach", "-n", "1", "--out", tmp_path / "kept")
    assert 0.0 < found["at"] < 2.0
    kept = tmp_path / "kept" / "futures" / "0000"
    summary = json.loads((kept / "summary.json").read_text())
    assert summary["simulated_time"] == pytest.approx(found["at"] + 0.05, abs=0.01)
    assert json.loads((tmp_path / "kept" / "forecast.json").read_text())["at"] == found["at"]
    page = (tmp_path / "kept" / "forecast.html").read_text()
    for words in ("pick_and_place from", "What parts the futures", "holding(gripper)"):
        assert words in page
    assert page_to_show(tmp_path / "kept") == page
    if "It does not play here" not in page:  # where pages can be made
        assert "film-0" in page


def test_an_unchanged_future_ends_in_the_digest_of_the_run() -> None:
    scenario, options = load_scenario(find_scenario("pick_and_place")), RunOptions(duration=0.6)
    plain = session(scenario, options=options).run()
    found = predict(Study(scenario, options, jobs=3), Moment(0.3), futures=6, drawn=False)
    assert [one.error for one in found.futures] == [None] * 6
    assert {one.digest for one in found.futures} == {plain.digest}


def test_people_read_it() -> None:
    said = hetwin("predict", *SHORT[:-1], "--at", "0.5", "-n", "2")
    assert said.code == 0, said.err
    assert said.out.startswith("2 of 2 futures from 0.50 s to 0.55 s")
    assert "whether it succeeds is not decided by 0.55 s, and the run goes on until" in said.out
    assert "succeeds in" not in said.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--at", "1000"), ("--at", "found 1000", "a time before")),
        (("--at", "-1"), ("--at", "found -1", "at least 0")),
        (("--at", "0.5", "--duration", "0"), ("--duration", "above 0")),
        (("--at", "0.5", "--within", "0"), ("--within", "above 0")),
        (("--within", "1"), ("--within", "does not apply here", "--at, --before or --library")),
        (("--at", "1", "--until", "width=0.2"), ("--until", "neither --at nor --before")),
        (("--at", "1", "--before", "reach"), ("--at, --before", "both")),
        (("--before", "reach", "--source", planned("elbow_joint", 0.1)), ("--before", "until 0.1")),
        (("--at", "0", "--source", planned("knee", 1.0)), ("joint_names.0", "found 'knee'")),
        (("--at", "0", "--source", planned("elbow_joint", 1.0, 0.5)), ("points.1", "found 0.5")),
    ],
)
def test_what_cannot_be_asked(
    tmp_path: Path, arguments: tuple[str, ...], says: tuple[str, ...]
) -> None:
    refused(tmp_path, "predict", "pick_and_place", *arguments, says=says)


def test_all_futures_are_waited_for_within_a_time_that_suffices() -> None:
    found = forecast("--at", "0.1", "-n", "2", "--within", "900")
    assert found["futures"] == {"asked": 2, "finished": 2, "failed": 0}


def test_no_future_in_time_is_not_known() -> None:
    arguments = ("--at", "0.1", "-n", "1", "--within", "0.0001", "--json")
    said = hetwin("predict", "pick_and_place", *arguments)
    assert said.code == 3
    found = json.loads(said.out)
    assert found["futures"] == {"asked": 1, "finished": 0, "failed": 0}
    assert not found["deterministic"]


@pytest.mark.parametrize(
    ("uncertainty", "says"),
    [
        ("{nothing: {mass: {sigma: 1}}}", ("uncertainty.nothing", "no such entity", "box")),
        ("{box: {mass: {sigma: -1}}}", ("uncertainty.box.mass.sigma", "found -1")),
        ("{box: {weight: {sigma: 1}}}", ("uncertainty.box.weight", "mass")),
        ("{grasp: {contact_distance: {sigma: 0.001}}}", ("uncertainty", "GraspMonitor cannot")),
        ("{demo_arm: {pose: {yaw: 0.1}}}", ("uncertainty", "demo_arm")),
    ],
)
def test_what_cannot_be_uncertain(tmp_path: Path, uncertainty: str, says: tuple[str, ...]) -> None:
    base = find_scenario("pick_and_place")
    file = tmp_path / "other.yaml"
    file.write_text(f"extends: {base}\nscenario: other\nuncertainty: {uncertainty}\n")
    asked = ("--at", "0.1", "--duration", "0.01", "-n", "2")
    refused(tmp_path, "predict", file, *asked, says=(str(file), *says))


def test_bodies_are_changed_in_a_run(tmp_path: Path) -> None:
    """Also what stands, and what is heavier or bounces."""
    base = find_scenario("pick_and_place")
    file = tmp_path / "other.yaml"
    drawn = (
        "{tray: {pose: {sigma: [0.01, 0.01, 0]}}, box: {mass: {factor: 0.5}, friction: {factor: 0.2},"
        " bounce: {between: [0.2, 0.6]}}}"
    )
    file.write_text(f"extends: {base}\nscenario: other\nuncertainty: {drawn}\n")
    said = hetwin("predict", file, "--at", "0.1", "--duration", "0.02", "-n", "2", "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["futures"]["finished"] == 2
