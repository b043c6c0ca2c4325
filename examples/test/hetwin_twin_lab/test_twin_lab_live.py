"""The lab over ROS 2, beside a robot that is a process of its own, and that dies on the way."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from short_lab import short_lab
from std_msgs.msg import String
from support.ros_domains import new_domain
from support.ros_runs import command, environment, finish, running
from support.watcher import watching

from hetwin_suite.runs import find_scenario

CYCLE_S = 0.05
TIMEOUT_S = 8.0
SCENARIO = find_scenario("twin_lab")


@contextmanager
def real_robot(domain: int) -> Iterator[subprocess.Popen[str]]:
    """The real robot, as in its data sheet, ready to obey."""
    process = subprocess.Popen(
        command("robot", "obey", SCENARIO),
        env=environment(domain),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert "obeys" in process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait(30)


class Story:
    """What a run says that happened."""

    def __init__(self, outcome: Any) -> None:
        self.events = outcome["events"]

    def times(self, source: str, name: str, **arguments: object) -> list[float]:
        """Times of the events that have such arguments [s]."""
        return [
            row["time"]
            for row in self.events
            if (row["source"], row["name"]) == (source, name)
            and arguments.items() <= row["arguments"].items()
        ]


@pytest.mark.long
def test_a_robot_that_is_killed_ends_in_a_timeout_and_the_twin_goes_on(tmp_path: Path) -> None:
    domain = new_domain()
    lab = short_lab(tmp_path, timeout=TIMEOUT_S)
    options = ("--variant", "live", "--pace", 1, "--duration", 45)
    with (
        real_robot(domain) as robot,
        running(lab, tmp_path / "run", *options, transport="local", domain=domain) as (twin, _),
        watching(domain, twin) as watcher,
    ):
        commands, replies = (watcher.listen(String, f"/lab/{n}") for n in ("command", "reply"))
        watcher.wait(lambda: len(replies) >= 1 and len(commands) >= 2, "the second command")
        os.kill(robot.pid, signal.SIGKILL)
        ended = finish(twin)
    assert ended.code == 0, ended.err
    story = Story(ended.json)
    (sent,) = story.times("execution", "command", id=2)
    (alarm,) = story.times("link", "alarm", alarm="timeout", side="real", id=2)
    (answered,) = story.times("link", "reply", id=2)
    assert story.times("link", "reply", id=2, code=0) == [answered]
    assert answered == alarm
    assert answered - sent <= TIMEOUT_S + 2 * CYCLE_S + 1e-6
    (lost,) = story.times("link", "robot_lost", model="real")
    went_on = [time for time in story.times("link", "reply", code=1) if time > lost]
    assert len(went_on) >= 2
    assert ended.json["lab"]["timeouts"] == {"real": 2, "virtual": 0}
    assert story.times("execution", "machine_fault") == []
