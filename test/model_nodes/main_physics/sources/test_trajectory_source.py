"""A trajectory's file moves the twin's robot; what is wrong in the file is named with its line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.robot_files import ROOT

from hetwin_core.ensemble.conductor.start.sources import named_source
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.running.api import run
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.trajectory_file import read_trajectory

SCENARIO = """\
scenario: waving
robot: {urdf: URDF, joints_at_start: {elbow_joint: 0.4}}
source: {trajectory: wave.yaml}
models:
  physics: {type: main_physics, main: true, engine: mujoco}
"""
WAVE = """\
joint_names: [shoulder_pan_joint, elbow_joint]
points:
  - {positions: [0.5, 0.2], velocities: [0, 0], time_from_start: 0.4}
  - {positions: [-0.5, 0.2], velocities: [0, 0], time_from_start: {sec: 1, nanosec: 0}}
"""


def waving(folder: Path) -> Path:
    (folder / "wave.yaml").write_text(WAVE)
    scenario = folder / "waving.yaml"
    scenario.write_text(SCENARIO.replace("URDF", str(ROOT / "urdf" / "tabletop_arm.urdf")))
    return scenario


def test_a_scenario_moves_its_robot_along_a_file(tmp_path: Path) -> None:
    scenario = waving(tmp_path)
    outcomes = [run(scenario, out=tmp_path / str(i)) for i in range(2)]
    first = outcomes[0]
    assert first.ended == "recording"
    assert first.simulated_time == pytest.approx(1.0)
    assert first.deterministic
    assert first.digest == outcomes[1].digest


def test_joints_start_where_they_rest_and_follow_the_points(tmp_path: Path) -> None:
    waving(tmp_path)
    source = open_source({"trajectory": str(tmp_path / "wave.yaml")})
    resting = {"shoulder_pan_joint": 0.0, "elbow_joint": 0.4, "wrist": 1.0}
    driven = source.bind(["elbow_joint", "wrist", "shoulder_pan_joint"], 2_500_000, resting)
    assert driven.tolist() == [True, False, True]
    np.testing.assert_allclose(source.motion(0).positions, [0.4, 1.0, 0.0])
    halfway = source.motion(200_000_000)
    np.testing.assert_allclose(halfway.positions, [0.3, 1.0, 0.25])
    np.testing.assert_allclose(source.motion(700_000_000).positions, [0.2, 1.0, 0.0], atol=1e-12)
    assert source.duration_ns == 1_000_000_000
    assert not source.ended(999_000_000)
    assert source.ended(1_000_000_000)


def test_what_ros2_topic_echo_prints_can_be_read(tmp_path: Path) -> None:
    file = tmp_path / "echoed.yaml"
    file.write_text(
        "header:\n  stamp: {sec: 3, nanosec: 4}\n  frame_id: ''\njoint_names:\n- a\npoints:\n"
        "- positions:\n  - 1.5\n  velocities: []\n  accelerations: []\n  effort: []\n"
        "  time_from_start:\n    sec: 2\n    nanosec: 500000000\n"
    )
    trajectory = read_trajectory(file).trajectory
    assert trajectory.names == ("a",)
    assert trajectory.duration == 2.5


@pytest.mark.parametrize(
    ("text", "where", "words"),
    [
        ("[1, 2]\n", "", "a mapping with joint_names and points"),
        (WAVE.replace("points", "poinst"), "line 2, poinst", "'points' perhaps"),
        (WAVE.replace("[0.5, 0.2]", "[0.5]"), "line 3, points.0.positions", "found '1 numbers'"),
        (WAVE.replace("-0.5", ".nan"), "line 4, points.1.positions", "not finite"),
        (WAVE.replace("-0.5", "far"), "line 4, points.1.positions.0", "number"),
        (WAVE.replace("0.4}", "1.4}"), "line 4, points.1.time_from_start", "does not increase"),
        (WAVE.replace("elbow", "shoulder_pan"), "line 1, joint_names", "named twice"),
        (
            WAVE.replace("[0, 0], time_from_start: {", "[0, 1], time_from_start: {"),
            "line 4, points.1.velocities",
            "does not end at rest",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, text: str, where: str, words: str
) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text(text)
    with pytest.raises(BadInput, match=words) as error:
        read_trajectory(file)
    assert where in str(error.value)
    assert str(file) in str(error.value)


def test_a_joint_that_the_robot_does_not_have_is_named_with_its_line(tmp_path: Path) -> None:
    waving(tmp_path)
    source = open_source({"trajectory": str(tmp_path / "wave.yaml")})
    with pytest.raises(BadInput, match=r"line 1, joint_names\.1.*elbow_joint.*elbow_j'"):
        source.bind(["shoulder_pan_joint", "elbow_j"], 2_500_000)


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("motions/wave.yaml", {"trajectory": "motions/wave.yaml"}),
        ("bag/metadata.yaml", {"recording": "bag/metadata.yaml"}),
        ("bag", {"recording": "bag"}),
        ("commands", {"commands": ""}),
        ("commands:left", {"commands": "left"}),
        ("live:left", {"live": "left"}),
    ],
)
def test_the_start_names_a_source_by_its_text(text: str, spec: dict[str, Any]) -> None:
    assert named_source(text) == spec


def test_another_source_at_the_start_takes_no_options_of_a_robot(tmp_path: Path) -> None:
    scenario = waving(tmp_path)
    scenario.write_text(
        scenario.read_text().replace(
            "source: {trajectory: wave.yaml}", "source: {live: '', timeout: 3}"
        )
    )
    outcome = run(scenario, source=tmp_path / "wave.yaml", out=tmp_path / "run")
    assert outcome.ended == "recording"


def test_a_source_of_two_kinds_is_refused(tmp_path: Path) -> None:
    scenario = waving(tmp_path)
    text = scenario.read_text().replace("wave.yaml}", "wave.yaml, commands: ''}")
    scenario.write_text(text)
    with pytest.raises(BadInput, match=r"line 3, source: .*one of .*not commands and trajectory"):
        run(scenario, out=tmp_path / "run")
