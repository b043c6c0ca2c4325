"""The example unit: a motor's winding that gets warm while the arm works, as the torques of the recording have it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from motor_unit import COMPILER
from support.hetwin_command import hetwin

from hetwin_suite.episode import open_episode

WINDING = Path(__file__).resolve().parents[1] / "winding_fmu"


def test_the_winding_follows_the_torques_of_the_recording(tmp_path: Path) -> None:
    pytest.importorskip("fmpy", reason="the extra fmi is not installed")
    if COMPILER is None:
        pytest.skip("no C compiler")
    subprocess.run([sys.executable, WINDING / "make_fmu.py", tmp_path], check=True)
    arguments = ("--engine", "mujoco", "--duration", 9, "--json", "--no-page")
    run = hetwin("run", tmp_path / "warm_shoulder.yaml", *arguments, "--out", tmp_path / "run")
    assert [e["name"] for e in run.json["events"] if e["source"] == "winding"] == ["overheated"]
    episode = open_episode(tmp_path / "run" / "log")
    found = episode.attribute("shoulder_motor", "temperature")[:, 0]
    torque = episode.attribute("tabletop_arm", "joint_efforts")[:, 1]
    energy = 1.2 * (torque / 3.0) ** 2 - 0.7 * (found - 313.15)
    warmed = np.concatenate([[0.0], np.cumsum(energy[1:] * np.diff(episode.seconds))]) / 60.0
    assert found == pytest.approx(333.15 + warmed, abs=0.1)
    assert found[-1] > 338.15
