"""The same input and seed give the same run, in one process and as ROS 2 nodes."""

from __future__ import annotations

from pathlib import Path

from support.ros_runs import run, toy

from hetwin_core.projection.episode import Episode


def test_events_handovers_and_digest_are_equal_in_both_transports(tmp_path: Path) -> None:
    scenario = toy(tmp_path)
    local = [run(scenario, tmp_path / "local", transport="local").json]
    ros = [run(scenario, tmp_path / "ros").json]
    digests = {outcome["digest"] for outcome in local + ros}
    assert len(digests) == 1
    for outcome in local + ros:
        assert outcome["ended"] == "recording"
        assert outcome["deterministic"] is True
        assert outcome["events"] == local[0]["events"]
        assert outcome["handovers"] == local[0]["handovers"]
    assert [(h["time"], h["from"], h["to"]) for h in ros[0]["handovers"]] == [
        (0.2, "physics", "grasp"),
        (0.5, "grasp", "physics"),
    ]
    first, second = (Episode.open(tmp_path / name).given for name in ("local", "ros"))
    assert first == second
    assert first["scenario"]["scenario"] == local[0]["scenario"]


def test_each_model_is_a_process_of_its_own(tmp_path: Path) -> None:
    outcome = run(toy(tmp_path), tmp_path / "run").json
    pids = [row["pid"] for row in outcome["processes"]]
    assert [row["model"] for row in outcome["processes"]] == ["physics", "grasp", "cup"]
    assert len(set(pids)) == 3
