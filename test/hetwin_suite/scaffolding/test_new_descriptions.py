"""`hetwin new` and runs with robots of other formats, and with descriptions in which something is missing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.hetwin_command import hetwin
from support.menagerie import ROBOTS, write_robot
from support.plugins import needs
from support.recorded_bags import MS, joints, write_bag
from support.robot_files import TABLETOP_ARM
from support.tabletop import JOINTS

from hetwin_suite.scaffolding.new_scenario import draft_scenario
from model_nodes.main_physics.world.robot_xml import joints_of


def record(folder: Path, names: Sequence[str]) -> Path:
    """One second in which all joints move a little."""
    times = range(0, 1000 * MS, 20 * MS)
    return write_bag(
        folder / "bag", [joints(t, names, [0.02 * np.sin(t / 2e8)] * len(names)) for t in times]
    )


def new(bag: Path, robot: str | Path, out: Path, *options: str) -> dict[str, Any]:
    said = hetwin("new", bag, "--robot", robot, "--out", out, *options, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)  # type: ignore[no-any-return]


@needs("hetwin_mjcf")
@pytest.mark.parametrize("name", ROBOTS)
def test_mjcf_robots_run(name: str, tmp_path: Path) -> None:
    file = write_robot(name, tmp_path)
    bag = record(tmp_path, joints_of(file))
    printed = new(bag, file, tmp_path / "out", "--run")
    assert printed["run"]["verdict"] in ("fine", "unchecked", "doubtful")
    assert printed["only_model"] == []
    assert len(printed["hands"]) == (2 if name == "two_arms" else 1)


@needs("hetwin_mjcf")
def test_a_scene_of_the_menagerie_is_a_robot_too(tmp_path: Path) -> None:
    scene = write_robot("parallel", tmp_path).parent / "scene.xml"
    draft = draft_scenario(record(tmp_path, joints_of(scene)), robot=str(scene))
    assert any("object of the scene (box, floor)" in warning for warning in draft.warnings)


@needs("hetwin_mjcf")
def test_a_scene_of_the_menagerie_is_a_world(tmp_path: Path) -> None:
    scene = write_robot("parallel", tmp_path).parent / "scene.xml"
    bag = record(tmp_path, joints_of(scene))
    file = tmp_path / "in_scene.yaml"
    file.write_text(
        f"scenario: in_scene\nworld: {scene}\nrate: 400\nsource: {bag}\n"
        "models:\n  physics: {type: main_physics, main: true}\n"
    )
    said = hetwin("run", file, "--out", tmp_path / "run", "--json")
    assert said.code == 0, said.err
    with_robot = (tmp_path / "run" / "summary.json").read_text()
    assert json.loads(with_robot)["coverage"][0]["subject"] == "parallel_scene"


def test_xacro_with_a_mapped_package_runs(tmp_path: Path) -> None:
    inside = tmp_path / "ros" / "arm_macros"
    inside.mkdir(parents=True)
    text = TABLETOP_ARM.read_text()
    body = text[text.index("<robot") :]
    (inside / "arm.xacro").write_text(body)
    file = tmp_path / "arm.urdf.xacro"
    file.write_text(
        '<robot name="from_xacro" xmlns:xacro="http://www.ros.org/wiki/xacro">'
        '<xacro:include filename="$(find arm_macros)/arm.xacro"/></robot>'
    )
    package = f"arm_macros={inside}"
    bag = record(tmp_path, JOINTS)
    printed = new(bag, file, tmp_path / "out", "--run", "--package", package)
    assert list(printed["joints"]) == list(JOINTS)


@pytest.mark.parametrize("extra", ["<!-- ${side * 0.04} -->", "<x><param>${-0.9*pi}</param></x>"])
def test_a_dollar_that_is_no_xacro_is_read(extra: str, tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    file.write_text(TABLETOP_ARM.read_text().replace("</robot>", f"{extra}</robot>"))
    assert draft_scenario(record(tmp_path, JOINTS), robot=str(file)).only_model == []


NAMED = """scenario: named
world: {world}
robot: {robot}
rate: 400
source: {bag}
models:
  physics: {{type: main_physics, main: true}}
"""


def test_robots_and_worlds_have_names_in_scenarios_too(tmp_path: Path) -> None:
    bag = record(tmp_path, JOINTS)
    digests = []
    for i, (world, robot) in enumerate(
        [("empty", "tabletop_arm"), ("worlds/empty.sdf", "urdf/tabletop_arm.urdf")]
    ):
        file = tmp_path / f"named_{i}.yaml"
        file.write_text(NAMED.format(world=world, robot=robot, bag=bag))
        said = hetwin("run", file, "--out", tmp_path / f"run_{i}", "--json")
        assert said.code == 0, said.err
        digests.append(json.loads(said.out)["digest"])
    assert digests[0] == digests[1]


UNKNOWN = (
    "no robot of this name is known; found 'tabeltop_arm'; expected a URDF, xacro, MJCF or USD file"
)


@needs("hetwin_calibration")
def test_all_commands_say_the_same_of_an_unknown_robot(tmp_path: Path) -> None:
    bag, name = record(tmp_path, JOINTS), "tabeltop_arm"
    file = tmp_path / "named.yaml"
    file.write_text(NAMED.format(world="empty", robot=name, bag=bag))
    poses = tmp_path / "poses.csv"
    poses.write_text("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n")
    for words in (
        ("new", bag, "--robot", name, "--out", tmp_path / "out"),
        ("run", file, "--out", tmp_path / "run"),
        ("urdf", "inverse", name, "--poses", poses),
        ("urdf", "describe", name),
    ):
        said = hetwin(*words)
        assert said.code == 2
        text = " ".join(said.err.split()).replace("robot or world", "robot")
        assert UNKNOWN in text, text
        assert "tabletop_arm" in text
