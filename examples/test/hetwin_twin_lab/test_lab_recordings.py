"""Recordings of a lab robot with hidden measures: its wheels and its poses fit together as its truth says."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin

from hetwin_calibration.drives.calibrating import calibrate
from hetwin_calibration.drives.drive import Drive
from hetwin_calibration.drives.logs import read_recording
from hetwin_core.ensemble.errors import BadInput
from hetwin_suite.runs import load_scenario
from hetwin_twin_lab.hidden import HiddenParameters
from hetwin_twin_lab.recording_moves import record_moves, record_robot, with_late_wheel_angles


def test_a_move_fits_the_hidden_measures(tmp_path: Path) -> None:
    lab = load_scenario("twin_lab")
    hidden = HiddenParameters(base=1.08, left_radius=1.02, right_radius=1.02)
    folder = tmp_path / "one"
    summary = record_robot(lab, folder, hidden, np.random.default_rng(1), 1)
    assert summary["label"] == "success"
    rows = np.genfromtxt(folder / "drive.csv", delimiter=",", names=True)
    turned = np.unwrap(rows["yaw"])[-1] - rows["yaw"][0]
    wheels = rows["right"][-1] - rows["right"][0] - (rows["left"][-1] - rows["left"][0])
    assert turned == pytest.approx(wheels * 0.06 * 1.02 / (0.25 * 1.08), abs=0.01)
    laps = np.genfromtxt(folder / "laps.csv", delimiter=",", names=True)
    assert float(laps["lap_real"]) == pytest.approx(float(laps["lap_virtual"]), abs=0.21)
    assert json.loads((folder / "robot.json").read_text()) == pytest.approx(
        {"wheel_radius": 0.06, "base": 0.25}
    )
    assert json.loads((folder / "truth.json").read_text())["hidden"]["base"] == 1.08
    table, bag = (read_recording(folder / name, None, None) for name in ("drive.csv", "recording"))
    for name in ("wheels", "places", "headings"):
        np.testing.assert_allclose(getattr(bag, name), getattr(table, name), atol=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("friction", [0.1, 0.2])
def test_the_update_finds_a_larger_base_on_a_slippery_floor(
    friction: float, tmp_path: Path
) -> None:
    lab = load_scenario("twin_lab")
    found = {}
    for width in (0.0, 0.05):
        folder = tmp_path / str(width)
        hidden = HiddenParameters(friction=friction, tyre_width=width)
        record_robot(lab, folder, hidden, np.random.default_rng(1), 8)
        log = read_recording(folder / "drive.csv", None, None)
        calibration = calibrate([log], Drive(0.06, 0.06, 0.25))
        found[width] = calibration.drive.base
    assert found[0.0] == pytest.approx(0.25, rel=0.002)
    assert 1.006 < found[0.05] / 0.25 < 1.015


def test_wheels_are_stamped_later_than_the_pose() -> None:
    rows = [(0.1 * k, float(k), 2.0 * k, 0.0, 0.0, 0.0) for k in range(10)]
    table = with_late_wheel_angles(rows, 0.05)
    assert table[5, 1:3] == pytest.approx([4.5, 9.0])


def test_a_friction_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a coefficient of friction"):
        record_moves(1, 1, tmp_path / "c", friction=-1.0)


@pytest.mark.parametrize("option", ["--shift", "--mismatch", "--grasp"])
def test_the_command_has_options_of_its_own(option: str, tmp_path: Path) -> None:
    said = hetwin("record", "lab_robot", "--out", tmp_path / "new", option, "0.01")
    assert said.code == 2
    assert f"No such option: {option}" in said.err
    assert not (tmp_path / "new").exists()
