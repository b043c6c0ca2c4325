"""A run whose process is killed leaves a log that can be finished."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader
from support.small_run import GRASP

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.topics import SCAN_TOPIC
from hetwin_core.episodes.bag import LogBag
from hetwin_core.episodes.episode import Episode
from hetwin_core.episodes.failed_run import recover_log
from hetwin_core.episodes.messages import header
from hetwin_core.episodes.run_messages import encoded

_PLAY = """
import os, signal, sys
from pathlib import Path
from support.small_run import SmallRun
from hetwin_core.episodes.log_writer import RunLog

run = SmallRun(Path(sys.argv[1]), steps=1200)
log = RunLog(run.out)
run.play(log)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_log_of_a_killed_run_is_saved(tmp_path: Path) -> None:
    tests = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(tests), str(tests.parent)])
    run = tmp_path / "run"
    result = subprocess.run(
        [sys.executable, "-c", _PLAY, str(run)], env={**os.environ, "PYTHONPATH": path}, check=False
    )
    assert result.returncode == -signal.SIGKILL
    with pytest.raises(BadInput):
        Episode.open(run)
    assert recover_log(run) > 100
    episode = Episode.open(run)
    assert episode.times[0] == 0
    assert episode.given == {"seed": 7, "engine": "none"}
    # What happened is on the disk within half a second; the run may have been faster than that.
    assert episode.events[0].name == "move_hand"
    assert len(episode.times) > (GRASP - 20) // 4
    assert sorted(path.name for path in run.iterdir()) == ["log"]
    assert sorted(path.name for path in (run / "log").iterdir()) == ["log.mcap", "metadata.yaml"]
    assert recover_log(run) == -1


@pytest.mark.parametrize("kept", [0.15, 0.5, 0.9, 0.999])
def test_whatever_is_left_of_a_file_can_be_read(make_run: Any, kept: float) -> None:
    run = make_run(steps=50)
    run.record()
    (run.out / "log" / "metadata.yaml").unlink()
    mcap = run.out / "log" / "log.mcap"
    mcap.write_bytes(mcap.read_bytes()[: int(kept * mcap.stat().st_size)])
    count = recover_log(run.out)
    assert (run.out / "log" / "metadata.yaml").exists()
    if count:  # the chunk of the start, or all
        assert len(Episode.open(run.out).times) in (1, 14)


def test_a_finished_log_is_left_alone(make_run: Any) -> None:
    run = make_run(steps=5)
    run.record()
    before = (run.out / "log" / "log.mcap").read_bytes()
    assert recover_log(run.out) == -1
    assert (run.out / "log" / "log.mcap").read_bytes() == before


def test_no_log_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no log"):
        recover_log(tmp_path)


def test_topics_that_only_some_robots_have_are_saved_too(tmp_path: Path) -> None:
    topic = SCAN_TOPIC._replace(name="left/scan")
    numbers = ("angle_min", "angle_max", "angle_increment", "time_increment", "scan_time")
    scan = encoded(
        topic,
        5,
        header=header(5, "left::lidar"),
        **dict.fromkeys((*numbers, "range_min", "range_max"), 0.5),
        ranges=np.array([1.0, 2.0], np.float32),
        intensities=np.zeros(0, np.float32),
    )
    bag = LogBag(tmp_path / "log")
    bag.offer(topic)
    bag.offer(topic)  # nothing changes
    bag.write(*scan)
    bag.flush(5)  # and is never finished
    assert recover_log(tmp_path) == 1
    with AnyReader([tmp_path / "log"]) as reader:
        ((connection, time_ns, raw),) = reader.messages()
        assert (connection.topic, connection.msgtype, time_ns) == ("/left/scan", topic.type, 5)
        assert reader.deserialize(raw, topic.type).ranges.tolist() == [1.0, 2.0]
