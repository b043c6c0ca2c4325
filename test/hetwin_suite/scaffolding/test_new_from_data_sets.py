"""`hetwin new` with data sets: the scenarios run, and nothing is left of what fails."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.hetwin_command import hetwin
from support.learning_sets import SO101, swings, write_lerobot, write_robomimic, write_table
from support.plugins import needs
from support.robot_files import TABLETOP_ARM, example
from support.tabletop import JOINTS, write_recording

from model_nodes.main_physics.sources.recording import Recording


def test_an_episode_of_an_arm_whose_robot_and_units_are_known(tmp_path: Path) -> None:
    example("so_arm_description/urdf/so101.urdf")
    names = [f"{name}.pos" for name in SO101]
    folder = write_lerobot(tmp_path / "d", names=names, robot="so101_follower", size=8.0)
    out = tmp_path / "out"
    said = hetwin("new", folder, "--episode", "3", "--out", out, "--run", "--json")
    assert said.code == 0, said.err
    printed = json.loads(said.out)
    assert printed["joints"] == {name: name for name in SO101}
    assert printed["run"]["verdict"] in ("fine", "unchecked")
    assert "units" in printed["warnings"][0]
    scenario = yaml.safe_load((out / "d_episode_3.yaml").read_text())
    assert scenario["source"]["recording"] == "d_episode_3"
    found = Recording.open(out / "d_episode_3").joints()
    degrees = swings(3, 6, size=8.0)
    for i, name in enumerate(SO101):
        assert found[name].upper == pytest.approx(np.deg2rad(degrees[:, i].max()), abs=1e-4)


@needs("hetwin_datasets")
def test_units_that_are_said_are_those_of_the_data_set(tmp_path: Path) -> None:
    header = ["time", *JOINTS]
    rows = [[i / 20, *values] for i, values in enumerate(swings(0, len(JOINTS), size=10.0))]
    table = write_table(tmp_path / "run.csv", header, rows)
    out = tmp_path / "out"
    said = hetwin("new", table, "--robot", TABLETOP_ARM, "--units", "degrees", "--out", out)
    assert said.code == 0, said.err
    scenario = yaml.safe_load((out / "run.yaml").read_text())
    assert scenario["source"]["units"] == ["degrees"]
    assert Recording.open(out / "run").joints()[JOINTS[0]].upper > 15.0


def test_the_folder_has_the_episode_in_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = write_lerobot(Path("pick"), version=2)
    said = hetwin("new", folder, "--episode", "1", "--robot", TABLETOP_ARM)
    assert said.code == 0, said.err
    assert (tmp_path / "pick_episode_1_twin" / "pick_episode_1.yaml").is_file()


def test_nothing_is_left_of_a_robot_that_does_not_match(tmp_path: Path) -> None:
    names = [f"drive{i}" for i in range(1, 6)]
    folder = write_lerobot(tmp_path / "d", names=names)
    robot = example("panda_description/urdf/panda.urdf")
    out = tmp_path / "out"
    said = hetwin("new", folder, "--episode", "0", "--robot", robot, "--out", out)
    assert said.code == 2
    assert r"--joint 'drive(\d+)=panda_joint\1'" in " ".join(said.err.split())
    assert not out.exists()
    out.mkdir()
    assert hetwin("new", folder, "--episode", "0", "--robot", robot, "--out", out).code == 2
    assert list(out.iterdir()) == []


@needs("hetwin_datasets")
def test_errors_about_what_was_recorded_name_the_data_set(tmp_path: Path) -> None:
    table = write_table(tmp_path / "run.csv", ["time", *JOINTS], [[0, *[0.1] * len(JOINTS)]])
    said = hetwin("new", table, "--robot", TABLETOP_ARM, "--out", tmp_path / "out")
    assert said.code == 2
    assert f"{table}: the recording has no duration" in said.err


@needs("hetwin_datasets")
def test_a_recording_has_no_episodes(tmp_path: Path) -> None:
    bag = tmp_path / "recording"
    write_recording(bag, JOINTS)
    said = hetwin("new", bag, "--episode", "0", "--out", tmp_path / "out")
    assert said.code == 2
    assert "a recording has no --episode" in " ".join(said.err.split())


def test_a_robot_that_robomimic_names(tmp_path: Path) -> None:
    example("panda_description/urdf/panda.urdf")
    file = write_robomimic(tmp_path / "lift.hdf5")
    said = hetwin("new", file, "--episode", "10", "--out", tmp_path / "out", "--json")
    assert said.code == 0, said.err
    printed = json.loads(said.out)
    assert printed["robot"] == "panda"
    assert printed["only_model"] == []
    assert printed["warnings"] == []
