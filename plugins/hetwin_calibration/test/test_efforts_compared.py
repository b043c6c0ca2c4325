"""`hetwin calibrate efforts --compare`: the gap between two recordings; and friction in SDFormat and MJCF files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from effort_split import Arm
from support.hetwin_command import hetwin, refused
from support.recorded_bags import joints, write_bag
from support.robot_files import TABLETOP_ARM

ROBOT = ("--robot", TABLETOP_ARM)
Planted = dict[tuple[str, int | None], float]


def recording(
    folder: Path, name: str, planted: Planted, *, seed: int = 4, pushed_s: float | None = None
) -> Path:
    """A bag of the arm; from a time on, 30 N push its last link down for 0.3 s."""
    arm = Arm(str(TABLETOP_ARM))
    times, positions, efforts = arm.recording(np.random.default_rng(seed), 25.0, planted)
    if pushed_s is not None:
        still = np.zeros(positions.shape[1])
        for i in np.flatnonzero((times >= pushed_s) & (times < pushed_s + 0.3)).tolist():
            efforts[i] += arm.dynamics.loads(positions[i], still, still)[:, 0] * 30.0 / 9.81
    names = [joint.name for joint in arm.joints]
    rows = zip(times.tolist(), positions, efforts, strict=True)
    messages = [joints(round(1e9 * t), names, q.tolist(), efforts=m.tolist()) for t, q, m in rows]
    return write_bag(folder / name, messages)


def test_what_only_one_of_them_has_is_named(tmp_path: Path) -> None:
    simulated = recording(tmp_path, "simulated", {})
    planted: Planted = {("dry", 1): 4.0, ("mass", None): 0.8}
    real = recording(tmp_path, "real", planted, pushed_s=12.0)
    page = tmp_path / "gap.html"
    words = ("calibrate", "efforts", simulated, real, *ROBOT, "--compare")
    said = hetwin(*words, "--out", page)
    assert said.code == 0, said.err
    assert "shoulder_lift_joint: dry friction 0 +- 0 and 4" in said.out
    assert "only the second has a touch from 1" in said.out
    assert "shoulder_lift_joint" in page.read_text("utf-8")
    found = json.loads(hetwin(*words, "--json").out)
    dry = found["joints"]["shoulder_lift_joint"]["dry"]
    assert dry["differs"]
    assert dry["gap"] == pytest.approx(4.0, abs=0.2)
    (load,) = [own["mass"] for own in found["joints"].values() if "mass" in own]
    assert load["gap"] == pytest.approx(0.8, abs=0.05)
    (touch,) = found["touches"]["only_second"]
    assert touch["begin"] == pytest.approx(12.0, abs=0.2)
    assert found["touches"]["only_first"] == found["touches"]["both"] == []


def test_the_same_recording_has_no_gap(tmp_path: Path) -> None:
    bag = recording(tmp_path, "bag", {("dry", 1): 4.0}, pushed_s=12.0)
    said = hetwin("calibrate", "efforts", bag, bag, *ROBOT, "--compare")
    assert "no friction, payload, offset or lag differs" in said.out
    assert "1 touch in both" in said.out


def test_a_comparison_needs_two_recordings(tmp_path: Path) -> None:
    bag = recording(tmp_path, "bag", {})
    says = ("number of recordings", "expected two with --compare, else one")
    refused(tmp_path, "calibrate", "efforts", bag, *ROBOT, "--compare", says=says)


SDF = """<sdf version="1.11"><model name="arm"><!-- <joint name="shoulder_lift_joint"/> -->
<joint name="shoulder_lift_joint" type="revolute"><axis><xyz>0 0 1</xyz>{}</axis></joint>
<joint name="elbow_joint" type="revolute"><axis><xyz>0 0 1</xyz></axis></joint></model></sdf>
"""
MJCF = """<mujoco><worldbody><body><geom size="1"/>
<joint name="shoulder_lift_joint" damping="9" axis="0 0 1"/><joint name="elbow_joint"/>
</body></worldbody></mujoco>
"""


@pytest.mark.parametrize("dynamics", ["", "<dynamics><damping>9</damping></dynamics>"])
def test_friction_is_written_into_sdformat(tmp_path: Path, dynamics: str) -> None:
    bag, file = (
        recording(tmp_path, "bag", {("dry", 1): 4.0, ("viscous", 1): 3.0}),
        tmp_path / "a.sdf",
    )
    file.write_text(SDF.format(dynamics))
    said = hetwin("calibrate", "efforts", bag, *ROBOT, "--into", file)
    assert said.code == 0, said.err
    one, other = ET.parse(tmp_path / "a.calibrated.sdf").getroot().iter("joint")
    assert float(one.findtext("axis/dynamics/friction", "0")) == pytest.approx(4.0, abs=0.2)
    assert float(one.findtext("axis/dynamics/damping", "0")) == pytest.approx(3.0, abs=0.3)
    assert other.find("axis/dynamics") is None
    assert "<!-- <joint name=" in (tmp_path / "a.calibrated.sdf").read_text()


def test_friction_is_written_into_mjcf(tmp_path: Path) -> None:
    bag, file = (
        recording(tmp_path, "bag", {("dry", 1): 4.0, ("viscous", 1): 3.0}),
        tmp_path / "a.xml",
    )
    file.write_text(MJCF)
    assert hetwin("calibrate", "efforts", bag, *ROBOT, "--into", file).code == 0
    one, other = ET.parse(tmp_path / "a.calibrated.xml").getroot().iter("joint")
    assert float(one.attrib["frictionloss"]) == pytest.approx(4.0, abs=0.2)
    assert float(one.attrib["damping"]) == pytest.approx(3.0, abs=0.3)
    assert other.attrib == {"name": "elbow_joint"}


def test_a_file_without_these_joints_is_refused(tmp_path: Path) -> None:
    bag, file = recording(tmp_path, "bag", {("dry", 1): 4.0}), tmp_path / "a.sdf"
    file.write_text(SDF.format("").replace("shoulder", "knee"))
    says = ("has none of the joints", "expected shoulder_lift_joint")
    refused(tmp_path, "calibrate", "efforts", bag, *ROBOT, "--into", file, says=says)
    file.write_text("<robot name='a'/>")
    says = ("is neither SDFormat nor MJCF", "expected <sdf> or <mujoco>")
    refused(tmp_path, "calibrate", "efforts", bag, *ROBOT, "--into", file, says=says)
