"""`hetwin calibrate arm`: what it prints and writes, and each bad input with its line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin, refused
from support.plugins import in_examples
from support.robot_chains import ByMujoco, postures
from support.robot_files import ROOT, TABLETOP_ARM
from support.two_links import write_csv, write_urdf

from hetwin_calibration.arm.calibration import aligned
from hetwin_calibration.robot.urdf_patch import with_errors
from model_nodes.main_physics.world.robot_file import read_robot

MARKERS = ROOT / "examples" / "arm" / "markers.csv"
ARM = ("calibrate", "arm", TABLETOP_ARM, "--base", "base_link", "--tip", "gripper_base")

TO_TIP = ("--tip", "gripper_base", "--markers")


@in_examples
def test_it_prints_what_the_fit_is_worth(tmp_path: Path) -> None:
    out = tmp_path / "calibrated.urdf"
    said = hetwin(*ARM, "--markers", MARKERS, "--out", out, "--json")
    printed = json.loads(said.out)
    assert printed["poses"] == 24
    assert printed["outliers"] == [7]
    for key in ("rms_mm", "held_out_rms_mm"):
        assert printed[key]["calibrated"] < 2.0 < printed[key]["nominal"]
    offsets = printed["offsets_rad"]
    assert next(iter(offsets)) == "shoulder_pan_joint"
    assert offsets["elbow_joint"] == pytest.approx(0.0256, abs=0.002)
    # The robot that was written has the offsets, as MuJoCo reads it.
    chain = read_robot(TABLETOP_ARM).chain("base_link", "gripper_base")
    written = ByMujoco(out, "base_link", "gripper_base")
    for row in postures(chain, 5, 1):
        expected = chain.place(row + np.array([offsets[name] for name in chain.joints]))
        got = written.matrix(chain.joints, row)
        np.testing.assert_allclose(got[:3, 3], expected.position, atol=1e-9)
        np.testing.assert_allclose(got[:3, :3], expected.rotation, atol=1e-9)


@in_examples
def test_all_errors_are_written_too(tmp_path: Path) -> None:
    out = tmp_path / "calibrated.urdf"
    words = ("--markers", MARKERS, "--out", out, "--fit", "all", "--json")
    printed = json.loads(hetwin(*ARM, *words).out)
    chain = read_robot(out).chain("base_link", "gripper_base")
    rows = np.genfromtxt(MARKERS, delimiter=",", skip_header=1)
    marker = np.array(printed["markers"]["1"])
    there = np.array(
        [(p := chain.place(row)).position + p.rotation @ marker for row in rows[:, 3:]]
    )
    kept = np.array([i for i in range(len(rows)) if i not in printed["outliers"]])
    base = aligned(there[kept], rows[kept, :3])
    off = there[kept] @ base.rotation.T + base.position - rows[kept, :3]
    rms = 1e3 * np.sqrt((off**2).sum(axis=1).mean())
    assert rms == pytest.approx(printed["rms_mm"]["calibrated"], abs=0.02)


def test_all_but_the_origins_stays_letter_by_letter() -> None:
    robot = read_robot(TABLETOP_ARM)
    assert with_errors(robot, {}) == TABLETOP_ARM.read_bytes()
    error = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.1])
    changed = with_errors(robot, {"elbow_joint": error}).decode().splitlines()
    before = TABLETOP_ARM.read_text().splitlines()
    different = [i for i, (a, b) in enumerate(zip(before, changed, strict=True)) if a != b]
    assert [before[i].strip() for i in different] == ['<origin xyz="0 0 0.36"/>']
    assert changed[different[0]].strip() == '<origin xyz="0 0 0.36" rpy="0 -0 0.1"/>'


def test_a_joint_without_an_origin_gets_one(tmp_path: Path) -> None:
    robot = read_robot(write_urdf(tmp_path))
    text = with_errors(robot, {"shoulder": np.array([0.0, 0.0, 0.1, 0.0, 0.0, 0.0])}).decode()
    assert '<joint name="shoulder" type="revolute"><origin xyz="0 0 0.1" rpy="0 -0 0"/>' in text


@in_examples
def test_people_read_a_table() -> None:
    said = hetwin(*ARM, "--markers", MARKERS)
    assert "24 poses; rows that do not belong: 7" in said.out
    assert "elbow_joint" in said.out


HEADER = "x1,y1,z1,shoulder,elbow"


@pytest.mark.parametrize(
    ("header", "rows", "says"),
    [
        ("x1,y1,shoulder,elbow", ((0, 0, 0, 0),), ("line 1", "z1 as well")),
        ("x1,y1,z1,x2,shoulder,elbow", ((0,) * 6,), ("line 1", "y2, z2 as well")),
        ("x1,y1,z1,shoulder", ((0,) * 4,), ("line 1", "elbow as well")),
        (HEADER, ((0, 0, 0, 0, 0),) * 3, ("too few poses", "3 rows")),
        (HEADER, ((0, 0, "inf", 0, 0),), ("line 2, column z1", "finite")),
    ],
)
def test_bad_input_ends_with_2_and_its_line(
    tmp_path: Path, header: str, rows: tuple[tuple[object, ...], ...], says: tuple[str, ...]
) -> None:
    poses = write_csv(tmp_path, header, *rows)
    words = ("calibrate", "arm", write_urdf(tmp_path), "--markers", poses)
    refused(tmp_path, *words, says=says)


@in_examples
def test_a_base_that_moves_in_the_file_is_warned_of() -> None:
    said = hetwin("calibrate", "arm", TABLETOP_ARM, "--base", "upper_arm_link", *TO_TIP, MARKERS)
    assert "warning: upper_arm_link does not stand still" in said.err
    assert "shoulder_lift_joint, shoulder_pan_joint" in said.err
    assert "warning" not in hetwin(*ARM, "--markers", MARKERS).err
