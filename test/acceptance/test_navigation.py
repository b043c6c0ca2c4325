"""What navigates a robot navigates its twin: a client that knows nothing of it drives it through a door."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.navigating import Navigator
from support.ros_runs import IN_PROCESS, finish, running
from support.watcher import watching

BEFORE_THE_DOOR, BEHIND_IT = (-0.6, 0.5), (0.7, 0.5)
PATIENCE_S = 60.0

pytestmark = pytest.mark.slow


def test_a_client_of_its_topics_drives_it_through_the_door(tmp_path: Path) -> None:
    with running(Path("lab_robot"), tmp_path / "run", *IN_PROCESS) as (process, domain):
        with watching(domain, process) as watcher:
            robot = Navigator(watcher)
            watcher.wait(lambda: robot.sees, "odometry, scans and frames", PATIENCE_S)
            assert robot.place()[:2] == pytest.approx((-1.8, -0.9), abs=0.01)
            robot.drive([BEFORE_THE_DOOR, BEHIND_IT], PATIENCE_S)
            assert robot.place().x > 0.5
            moved, scans = robot.odometry[-1], robot.scans
        process.terminate()
        ended = finish(process)
    assert ended.json["ended"] == "stopped", ended.err
    assert (moved.header.frame_id, moved.child_frame_id) == ("odom", "base_link")
    # Odometry began where the robot stood.
    assert moved.pose.pose.position.x == pytest.approx(0.7 + 1.8, abs=0.2)
    assert scans[-1].header.frame_id == "lidar"
    stamps = [scan.header.stamp.sec + scan.header.stamp.nanosec * 1e-9 for scan in scans]
    assert np.median(np.diff(stamps)) == pytest.approx(0.1)  # some may be lost
