"""A run beside what was planned, and differences that are less than its futures spread."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import refused
from support.robot_files import ROOT

from hetwin_compare.compare import compare_runs
from hetwin_compare.comparison import Apart, Comparison, Divergence, Parting
from hetwin_futures.comparing import noise_of, run_as_planned, spread, without_noise
from hetwin_futures.of_run import study_of
from hetwin_suite._study.run_result import RunResult
from hetwin_suite.running.api import run

MOVED = {"box": {"pose": [0.45, 0.23, 0.8, 1, 0, 0, 0]}}


def future(index: int, *places: tuple[float, float]) -> RunResult:
    path = np.array([[time, x, 0.0, 0.0] for time, x in places])
    return RunResult(index, paths={"ball": path})


def compared(most: float) -> Comparison:
    apart = Apart(500_000_000, most, most)
    parting = Parting(500_000_000, ("ball",), None, None)
    return Comparison(Divergence(state=parting), (), (), {"ball": apart}, (), (), 0, 10**9)


def test_futures_spread_from_their_mean() -> None:
    futures = [future(0, (0.0, 0.0), (1.0, 0.0)), future(1, (0.0, 0.0), (1.0, 0.4))]
    assert spread(futures, "ball", 0.5) == pytest.approx(0.1)
    assert spread(futures, "ball", 9.0) == pytest.approx(0.2)
    assert spread(futures, "box", 0.5) == 0.0


def test_what_is_less_than_the_noise_is_no_difference() -> None:
    near, far = (without_noise(compared(most), {"ball": 0.02}) for most in (0.01, 0.03))
    assert near.divergence.state is None
    assert near.objects["ball"].first_ns is None
    assert near.to_json()["noise"] == {"ball": 0.02}
    assert far == replace(compared(0.03), noise={"ball": 0.02})
    assert without_noise(compared(0.01), {}).divergence.state is not None


def test_the_planned_run_has_everything_where_it_was_believed(tmp_path: Path) -> None:
    file, here, there = (
        ROOT / "scenarios" / "pick_and_place.yaml",
        tmp_path / "run",
        tmp_path / "as",
    )
    run(file, out=here, scene=MOVED, duration=0.3, engine="mujoco")
    run_as_planned(here, there)
    found = compare_runs(here, there)
    assert [item.name for item in found.given if item.what == "scene"] == ["box"]
    assert json.loads((there / "summary.json").read_text())["simulated_time"] == pytest.approx(0.3)
    study, _ = study_of(here, here)
    study.jobs = 1
    noise = noise_of(study, found)
    assert set(noise) == {"box"}
    run(file, out=tmp_path / "plain", duration=0.3, engine="mujoco")
    same = compare_runs(there, tmp_path / "plain")
    assert same.divergence == Divergence()


def test_a_run_is_compared_with_one_other(tmp_path: Path) -> None:
    refused(tmp_path, "compare", tmp_path, says=("--planned", "neither"))
    refused(tmp_path, "compare", tmp_path, tmp_path, "--planned", says=("--planned", "both"))
