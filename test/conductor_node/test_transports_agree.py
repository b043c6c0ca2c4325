"""The same input and seed give the same run, in one process and as ROS 2 nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.ros_runs import run, toy

from hetwin_core.episodes.episode import Episode

VARIANT = """
variants:
  short: {models: {physics: {parameters: {until: 1.0}}}}
"""
SHORT = ("--variant", "short")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def ros(folder: Path) -> Any:
    """What a run as nodes prints."""
    return run(toy(folder, until=2.0, more=VARIANT), folder / "ros", *SHORT).json


def test_events_handovers_and_digest_are_equal_in_both_transports(folder: Path, ros: Any) -> None:
    scenario = toy(folder, until=2.0, more=VARIANT)
    local = run(scenario, folder / "local", *SHORT, transport="local").json
    assert ros["digest"] == local["digest"]
    for outcome in (local, ros):
        assert outcome["ended"] == "recording"
        assert outcome["deterministic"] is True
        assert outcome["events"] == local["events"]
        assert outcome["handovers"] == local["handovers"]
        assert outcome["simulated_time"] == pytest.approx(1.0)
    assert [(h["time"], h["from"], h["to"]) for h in ros["handovers"]] == [
        (0.2, "physics", "grasp"),
        (0.5, "grasp", "physics"),
    ]
    first, second = (Episode.open(folder / name).given for name in ("local", "ros"))
    assert first == second
    assert first["variant"] == "short"
    assert first["scenario"]["scenario"] == local["scenario"]


def test_each_model_is_a_process_of_its_own(ros: Any) -> None:
    pids = [row["pid"] for row in ros["processes"]]
    assert [row["model"] for row in ros["processes"]] == ["physics", "grasp", "cup"]
    assert len(set(pids)) == 3
