"""`hetwin calibrate efforts`: its output, the files that it writes, and the input that it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from effort_split import Arm
from support.hetwin_command import hetwin, refused
from support.recorded_bags import joints, write_bag
from support.robot_files import TABLETOP_ARM
from support.robot_recordings import needs

from hetwin_core.ensemble.resources import data_folder
from hetwin_suite import run

ROBOT = ("--robot", TABLETOP_ARM)
EFFORTS = (120.0, 120.0, 80.0, 40.0, 40.0, 20.0)
"""Limits of the arm's joints [N m]."""


PLANTED: dict[tuple[str, int | None], float] = {
    ("dry", 1): 4.0,
    ("viscous", 1): 3.0,
    ("mass", None): 0.8,
}


def recording(
    folder: Path,
    seconds: float = 25.0,
    *,
    factor: float = 1.0,
    planted: dict[tuple[str, int | None], float] = PLANTED,
    seed: int = 4,
) -> Path:
    """A bag of the arm with friction in the shoulder and a load of 0.8 kg, or other planted parameters."""
    arm = Arm(str(TABLETOP_ARM))
    times, positions, efforts = arm.recording(np.random.default_rng(seed), seconds, planted)
    names = [joint.name for joint in arm.joints]
    rows = zip(times.tolist(), positions, factor * efforts, strict=True)
    messages = [joints(round(1e9 * t), names, q.tolist(), efforts=m.tolist()) for t, q, m in rows]
    return write_bag(folder / f"bag_{seed}", messages)


def test_what_is_found_is_said_and_written(tmp_path: Path) -> None:
    bag, urdf, out = recording(tmp_path), tmp_path / "better.urdf", tmp_path / "found.json"
    said = hetwin("calibrate", "efforts", bag, *ROBOT, "--urdf", urdf, "--out", out)
    assert said.code == 0, said
    assert "shoulder_lift_joint: dry friction of 4" in said.out
    assert "where it was not fitted" in said.out
    assert "carries 0.8" in said.out
    (arm,) = json.loads(out.read_text())["arms"]
    assert arm["efforts"] == "torques"
    joint = arm["joints"]["shoulder_lift_joint"]
    assert joint["dry"]["value"] == pytest.approx(4.0, abs=0.2)
    assert joint["explains_not_fitted"] == pytest.approx(joint["explains"], abs=0.1)
    joints = {one.get("name"): one for one in ET.parse(urdf).getroot().iter("joint")}
    dynamics = joints["shoulder_lift_joint"].find("dynamics")
    assert dynamics is not None
    assert float(dynamics.get("friction", "0")) == pytest.approx(4.0, abs=0.2)
    assert float(dynamics.get("damping", "0")) == pytest.approx(3.0, abs=0.3)
    before = {one.get("name"): one for one in ET.parse(TABLETOP_ARM).getroot().iter("joint")}
    assert ET.tostring(joints["elbow_joint"]) == ET.tostring(before["elbow_joint"])


def test_currents_are_called_currents_and_nothing_is_written_of_them(tmp_path: Path) -> None:
    bag, urdf = recording(tmp_path, factor=0.04), tmp_path / "better.urdf"
    said = hetwin("calibrate", "efforts", bag, *ROBOT, "--urdf", urdf)
    assert "these efforts are currents, not torques" in said.out
    assert urdf.read_bytes() == TABLETOP_ARM.read_bytes()


def test_what_is_too_short_is_refused(tmp_path: Path) -> None:
    bag = recording(tmp_path, 6.0)
    says = ("too short", "expected at least 10 s")
    refused(tmp_path, "calibrate", "efforts", bag, *ROBOT, says=says)


def test_a_recording_without_efforts_is_refused(tmp_path: Path) -> None:
    bag = recording(tmp_path, 12.0, factor=0.0)
    refused(tmp_path, "calibrate", "efforts", bag, *ROBOT, says=("has no efforts of this robot",))


def effort_concerns(folder: Path, robot: Path, bag: Path) -> set[str]:
    """Return the lines about efforts in the run of a recording."""
    file = folder / f"with_{robot.stem}.yaml"
    lines = ("world: worlds/empty.sdf", "rate: 400", f"source: {bag}")
    main = "models:\n  physics: {type: main_physics, main: true}"
    placed = f"robot: {{urdf: {robot}, pose: [0, 0, 3, 1, 0, 0, 0]}}"
    file.write_text("\n".join((f"scenario: {file.stem}", placed, *lines, main)))
    summary = run(file, out=folder / file.stem)
    names = {str(concern["name"]) for concern in summary.concerns}
    return names & {"unexpected_effort", "unexplained_load", "no_friction"}


def test_a_robot_that_was_identified_once_has_no_touches_on_its_next_recording(
    tmp_path: Path,
) -> None:
    joints = range(6)
    planted = {("dry", j): 0.1 * most for j, most in zip(joints, EFFORTS, strict=True)}
    one, two = (recording(tmp_path, 20.0, planted=planted, seed=seed) for seed in (1, 2))
    better = tmp_path / "better.urdf"
    assert hetwin("calibrate", "efforts", one, *ROBOT, "--urdf", better).code == 0
    bare = tmp_path / "bare.urdf"
    bare.write_text(re.sub(r"<dynamics[^>]*/>", "", TABLETOP_ARM.read_text("utf-8")))
    assert effort_concerns(tmp_path, bare, two) == {"no_friction"}
    assert effort_concerns(tmp_path, better, two) == set()


@needs("kuka_lwr_mcap")
def test_a_real_arm_confirms_the_factors_of_the_joints_that_bear_it() -> None:
    folder = data_folder() / "kuka_lwr_mcap"
    said = hetwin("calibrate", "efforts", folder, "--robot", folder / "lwr.urdf", "--json")
    (arm,) = json.loads(said.out)["arms"]
    assert arm["efforts"] == "torques"
    assert all(
        own["with_masses"]["explains_not_fitted"]
        == pytest.approx(own["with_masses"]["explains"], abs=0.1)
        for own in arm["joints"].values()
    )
    for name in ("lwr_arm_1_joint", "lwr_arm_3_joint"):
        joint = arm["joints"][name]
        assert joint["factor"] == pytest.approx(1.46, abs=0.1)
        assert joint["explains"] > 0.9
        assert joint["confirmed"]


@needs("baxter_pnp_mcap", robots=True)
def test_the_load_of_a_real_arm_is_weighed_from_when_it_is_lifted_until_it_is_put_down() -> None:
    """The wrist's force sensor has 8 N of it, from 12.36 to 24.68 s."""
    bag = data_folder() / "baxter_pnp_mcap"
    said = hetwin("calibrate", "efforts", bag, "--robot", "baxter", "--json")
    arms = json.loads(said.out)["arms"]
    (load,) = [arm["carried"] for arm in arms if "right_w2" in arm["joints"]]
    assert load["mass"] == pytest.approx(0.8, abs=0.2)
    assert load["from"] == pytest.approx(12.36, abs=0.3)
    assert load["to"] == pytest.approx(24.68, abs=0.3)


@needs("tiago_ident_mcap", robots=True)
def test_the_currents_of_a_real_arm_are_called_currents() -> None:
    robot = "package://example-robot-data/robots/tiago_description/robots/tiago.urdf"
    bag = data_folder() / "tiago_ident_mcap"
    (arm,) = json.loads(hetwin("calibrate", "efforts", bag, "--robot", robot, "--json").out)["arms"]
    assert arm["efforts"] == "currents"
    assert arm["load"] == {}
    assert all(joint["unit"] == "as recorded" for joint in arm["joints"].values())
    assert arm["joints"]["arm_4_joint"]["factor"] == pytest.approx(0.095, abs=0.01)
