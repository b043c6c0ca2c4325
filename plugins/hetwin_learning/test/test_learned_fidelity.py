"""`hetwin learn fidelity`: parameters of a fidelity manager, from what runs cost and what moves in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from support.hetwin_command import hetwin, refused

from hetwin_learning.fidelity import candidate as candidates
from hetwin_learning.fidelity.candidate import FULL, Candidate, scenario_candidate
from hetwin_learning.fidelity.learn_fidelity import max_runs
from hetwin_learning.fidelity.moved_objects import MovedWatcher
from hetwin_suite.runs import RunOptions
from hetwin_suite.study import Study

MANAGER = '{type: fidelity_near_robot, rate: 50, parameters: {objects: "box_*", mode: AdFi-1}}'
UNCERTAIN = """uncertainty:           # properties of boxes that cannot be observed
  box_*: {mass: {factor: 0.3}, friction: {between: [0.3, 0.7]}}
"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    floors = pytest.importorskip("hetwin_truck.cluttered_floor")
    folder = tmp_path_factory.mktemp("floor")
    written: Path = floors.write_cluttered_floor(folder, boxes=15, legs=1, ahead=0.5)
    return written


def study_of(floor: Path, duration: float | None = None, seed: int = 0) -> Study:
    return Study(MovedWatcher(floor, None), RunOptions(duration=duration), seed=seed, jobs=1)


@pytest.mark.long
def test_parameters_are_chosen_on_some_draws_and_judged_on_others(
    floor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "INFLATIONS", (0.5,))
    monkeypatch.setattr(candidates, "REST_STEPS", (2,))
    monkeypatch.setattr(candidates, "INTERVALS", (10.0,))
    out = floor.parent / "learned.yaml"
    asked = ("learn", "fidelity", floor, "-n", "2", "--tolerance", "100", "--jobs", "1")
    said = hetwin(*asked, "--out", out, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    tried = {row["inflation"] for row in found["rows"]}
    assert tried == {None, 0.5, 1.0}
    fastest = max(found["rows"], key=lambda row: row["speedup"])
    assert found["chosen"] == {key: fastest[key] for key in found["chosen"]}
    chosen_on, others = len(found["rows"]), len({"full", "chosen", "before"})
    assert max_runs(study_of(floor).scenario, 2) == chosen_on + others
    for row in (*found["rows"], found["held_out"], found["held_out_before"]):
        assert (row["of"], row["failed"]) == (1, 0)
        assert row["real_time_factor"] > 0
        assert row["error_low"] <= row["error"] <= row["error_high"]
    assert found["held_out_before"]["inflation"] == 1.0
    learned = yaml.safe_load(out.read_text())["models"]["near"]["parameters"]
    assert scenario_candidate(learned) == Candidate(**found["chosen"])
    assert hetwin("check", out).code == 0


def test_the_robot_moves_boxes_and_others_stay_where_they_are(floor: Path) -> None:
    study = study_of(floor, duration=2.5)
    draw = study.draw(0).with_parameters("near", Candidate(0.5).parameters())
    (run,) = study.runs([draw])
    assert run.error is None
    assert 0 < run.seen < 15
    assert run.end_ns / 1e9 == pytest.approx(2.5, abs=0.01)


def test_a_pattern_says_what_is_uncertain_of_each_that_it_fits(floor: Path) -> None:
    inputs = study_of(floor, seed=1).draw(2).inputs
    masses = [inputs[f"box_{number:04d}.mass"] for number in range(15)]
    assert len(set(masses)) == 15


def test_what_a_scenario_has_is_read() -> None:
    assert scenario_candidate({"objects": "box_*", "mode": "AdFi-2", "rest_steps": 3}) == Candidate(
        0.5, 3
    )
    assert scenario_candidate({"mode": "AdFi-2", "inflation": 0.2, "interval": 4}) == Candidate(
        0.2, 2, 4.0
    )
    assert scenario_candidate({"mode": "HiFi"}) == FULL


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (MANAGER, "{type: displacement}", ("learn fidelity", "fidelity_near_robot")),
        (UNCERTAIN, "", ("uncertainty", "what differs between runs")),
        ("box_*: {mass", "bax_*: {mass", ("uncertainty.bax_*", "no such entity")),
    ],
)
def test_what_cannot_be_learned_from_is_refused(
    floor: Path, tmp_path: Path, old: str, new: str, says: tuple[str, ...]
) -> None:
    text = floor.read_text()
    assert old in text
    for name in ("floor.sdf", "drive.yaml"):
        (tmp_path / name).write_bytes((floor.parent / name).read_bytes())
    file = tmp_path / "other.yaml"
    file.write_text(text.replace(old, new))
    refused(tmp_path, "learn", "fidelity", file, says=says)


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (("fidelity", "pick_and_place", "--episodes", "there"), "--episodes"),
        (("success", "insertion"), "--episodes"),
    ],
)
def test_each_thing_that_is_learned_has_options_of_its_own(
    words: tuple[str, ...], option: str
) -> None:
    said = hetwin("learn", *words)
    assert said.code == 2
    assert option in said.err
