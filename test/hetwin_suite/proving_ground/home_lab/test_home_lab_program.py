"""The scenario `home_lab`: a TIAGo takes a cup with its hand of five fingers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.robot_files import example

import hetwin_suite

SCENARIO = Path(__file__).resolve().parents[4] / "scenarios" / "home_lab.yaml"


@pytest.mark.long
def test_the_cup_is_gripped_and_held_all_the_way(tmp_path: Path) -> None:
    example("tiago_description/robots/tiago.urdf")
    summary = hetwin_suite.run(SCENARIO, out=tmp_path / "run")
    names = [str(event["name"]) for event in summary.events]
    grips = [name for name in names if name.startswith("grip_")]
    assert grips == ["grip_closed"]
    assert summary.state["held(cup, hand)"]
    assert not summary.state["on(cup, table2)"]
    assert summary.verdict == "fine"
