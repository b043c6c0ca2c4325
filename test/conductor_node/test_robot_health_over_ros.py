"""What watches the robot runs in the conductor's process over ROS 2 too, and says the same."""

from __future__ import annotations

from pathlib import Path

from support.ros_runs import run

SCENARIO = """
scenario: watched
rate: 400
models:
  physics:
    type: support.watched_toy:WatchedToy
    main: true
    parameters:
      until: 0.6
      away: 0.02
      touch: [0.2, 0.4, 0.03]
      findings:
        - {name: jump, from_ns: 300000000, to_ns: 310000000, arguments: {joint: elbow, topic: /j, step: 0.5}}
  cup: {type: support.toys:ToyCup}
"""


def test_concerns_digest_and_process_over_both_transports(tmp_path: Path) -> None:
    scenario = tmp_path / "watched.yaml"
    scenario.write_text(SCENARIO)
    here = run(scenario, tmp_path / "local", transport="local")
    local = here.json
    apart = run(scenario, tmp_path / "apart", "--strict", "--in-process", "cup")
    assert {"link_touches", "jump", "deviates"} <= {c["name"] for c in local["concerns"]}
    other = apart.json
    assert other["concerns"] == local["concerns"]
    assert other["verdict"] == local["verdict"] == "absurd"
    assert other["digest"] == local["digest"]
    assert (here.code, apart.code) == (0, 1)  # only one of them is strict
    pids = {row["model"]: row["pid"] for row in other["processes"]}
    assert set(pids) == {"physics", "cup", "robot_health"}
    assert pids["robot_health"] == pids["cup"] != pids["physics"]  # that of the conductor
    assert "absurd: forearm touches table" in apart.err
