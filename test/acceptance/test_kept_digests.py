"""Whole runs of shipped scenarios compute and say what they did when their digests were recorded."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.kept_digests import check_digest


@pytest.mark.long
@pytest.mark.parametrize(
    "scenario", ["pick_and_place", "set_table", "pouring", "truck_unloading", "home_lab"]
)
def test_the_digest_of_a_run_is_the_recorded_one(tmp_path: Path, scenario: str) -> None:
    options = ("--engine", "mujoco", "--json", "--no-page", "--out", tmp_path / "run")
    check_digest(scenario, hetwin("run", scenario, *options).json["digest"])
