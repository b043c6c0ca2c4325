"""The folder of an episode as a source: its recording, and the scene that the robot believed in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.robot_files import ROOT

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scenario.recorded import believed_scene, is_episode, recording_of
from hetwin_suite import run
from hetwin_suite.episode import open_episode

BAG = ROOT / "scenarios" / "episodes" / "pick_and_place"


@pytest.fixture
def episode(tmp_path: Path) -> Path:
    """The shipped recording, with a box that is believed to be on the tray already."""
    folder = tmp_path / "episode"
    folder.mkdir()
    (folder / "recording").symlink_to(BAG)
    believed = {"box": {"pose": [0.4, -0.25, 0.85, 1, 0, 0, 0]}}
    (folder / "scene.json").write_text(json.dumps({"scene": believed}), encoding="utf-8")
    return folder


def test_a_run_takes_both(episode: Path, tmp_path: Path) -> None:
    summary = run("pick_and_place", source=episode, duration=0.1, out=tmp_path / "run")
    start = open_episode(summary.folder)
    assert start.pose("box")[0, :2].tolist() == [0.4, -0.25]
    assert start.description["source"] == str(episode / "recording")


def test_what_the_start_says_goes_before(episode: Path, tmp_path: Path) -> None:
    placed = {"box": {"pose": [0.45, 0.3, 0.81, 1, 0, 0, 0]}}
    summary = run(
        "pick_and_place", source=episode, scene=placed, duration=0.1, out=tmp_path / "run"
    )
    assert open_episode(summary.folder).pose("box")[0, :2].tolist() == [0.45, 0.3]


def test_a_scenario_may_name_it_as_its_source(episode: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "mine.yaml"
    shipped = ROOT / "scenarios" / "pick_and_place.yaml"
    scenario.write_text(f"extends: {shipped}\nscenario: mine\nsource: episode\n", encoding="utf-8")
    summary = run(scenario, duration=0.1, out=tmp_path / "run")
    assert open_episode(summary.folder).pose("box")[0, :2].tolist() == [0.4, -0.25]


def test_a_bag_is_no_episode() -> None:
    assert not is_episode(BAG)
    assert recording_of(str(BAG)) == str(BAG)
    assert believed_scene(str(BAG)) == {}


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"scene": 3}'])
def test_a_scene_that_cannot_be_read_is_named(episode: Path, text: str) -> None:
    (episode / "scene.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"scene\.json: .*expected \{\"scene\""):
        believed_scene(str(episode))
