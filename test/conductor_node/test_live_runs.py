"""Runs that follow a live robot, played by `hetwin robot` over real topics."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from support.ros_domains import new_domain
from support.ros_runs import IN_PROCESS, command, environment, finish, running
from support.warm_starts import WarmProcess
from support.watcher import watching

from hetwin.msg import Event
from hetwin.srv import StopSimulation

ENDS = {"live": "", "timeout": 6.0, "on_silence": "end", "wait": 60}
"""A robot that is silent for longer than the gap is done."""
PICK_AND_PLACE = Path("pick_and_place")


@contextmanager
def robot(domain: int, *arguments: str) -> Iterator[WarmProcess]:
    """The recorded pick-and-place as a robot."""
    process = WarmProcess(
        command("robot", "play", PICK_AND_PLACE, *arguments),
        env=environment(domain),
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
        process.wait(30)


def live(out: Path, domain: int, spec: dict[str, Any], *arguments: object) -> Any:
    """A run that follows the robot in that domain, with all models in the conductor's process."""
    named = ("--source", json.dumps(spec), *IN_PROCESS, *arguments)
    return running(PICK_AND_PLACE, out, *named, domain=domain)


@pytest.mark.long
def test_a_gap_of_two_seconds_is_survived_and_reported(tmp_path: Path) -> None:
    domain = new_domain()
    out = tmp_path / "run"
    with (
        live(out, domain, ENDS) as (process, _),
        robot(domain, "--wait-for-twin", "--gap", "6:2"),
        watching(domain, process) as watcher,
    ):
        diagnostics = watcher.listen(DiagnosticArray, "/diagnostics")

        def said(text: str) -> bool:
            return any(text in status.message for m in diagnostics for status in m.status)

        watcher.wait(lambda: said("the twin waits"), "a diagnosis that says: the twin waits")
        ended = finish(process)
    outcome = ended.json
    assert ended.code == 0, ended.err
    assert outcome["ended"] == "live"
    assert outcome["deterministic"] is False
    gaps = [e["arguments"]["seconds"] for e in outcome["events"] if e["name"] == "robot_gap"]
    assert max(gaps) == pytest.approx(2.0, abs=0.5)  # others may come from a busy machine
    # The twin bridges what it did not hear, and says of the whole what a replay says.
    assert outcome["state"]["on(box, tray)"] is True
    assert {"picked_up", "put_down"} <= {event["name"] for event in outcome["events"]}
    assert outcome["live"]["states"] > 1200  # a hundred a second


def test_a_twin_joins_a_robot_that_moves_already(tmp_path: Path) -> None:
    domain = new_domain()
    with (
        robot(domain, "--stand", "0", "--pace", "0.25"),  # for 50 s, so that it is not done before
        live(tmp_path / "run", domain, ENDS, "--duration", 2) as (process, _),
    ):
        ended = finish(process)
    assert ended.code == 0, ended.err
    assert ended.json["simulated_time"] == pytest.approx(2.0, abs=0.01)
    assert ended.json["deterministic"] is False


@pytest.mark.long
def test_two_robots_live_each_has_a_twin_in_its_namespace(tmp_path: Path) -> None:
    """Two robots at once, of which the left one is twice as fast: no twin hears the other's."""
    domain = new_domain()
    spec = {"live": "", "timeout": 60, "wait": 60}

    def play(name: str, pace: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
        return robot(
            domain, "--namespace", name, "--pace", pace, "--stand", "0.5", "--wait-for-twin"
        )

    def twin(name: str) -> Any:
        return live(tmp_path / name, domain, spec, "--namespace", name, "--duration", "6")

    with play("left", "2"), play("right", "1"), twin("left") as left, twin("right") as right:
        ended = {"left": finish(left[0]), "right": finish(right[0])}
    begun = {}
    for name, one in ended.items():
        assert one.code == 0, one.err
        assert one.json["live"]["states"] > 0
        actions = [e for e in one.json["events"] if e["kind"] == "action"]
        begun[name] = [e["time"] - actions[0]["time"] for e in actions]
    assert len(begun["left"]) > len(begun["right"]) > 1
    assert begun["right"][1] == pytest.approx(2 * begun["left"][1], rel=0.1)


def told(messages: list[DiagnosticArray], key: str) -> str:
    """The newest value of a key of the diagnostics."""
    values = [p.value for m in messages for s in m.status for p in s.values if p.key == key]
    return values[-1] if values else ""


def test_a_robot_that_vanishes_ends_the_run_with_words(tmp_path: Path) -> None:
    domain = new_domain()
    spec = {"live": "/arm", "timeout": 2.0, "wait": 60}
    with (
        robot(domain, "--namespace", "arm", "--stand", "60") as process,
        live(tmp_path / "run", domain, spec) as (twin, _),
        watching(domain, twin) as watcher,
    ):
        states = watcher.listen(DiagnosticArray, "/arm/diagnostics")
        watcher.wait(lambda: told(states, "twin follows") == "yes", "a twin that follows")
        process.kill()
        ended = finish(twin)
    assert ended.code == 1
    error = ended.json["error"]
    assert (error["model"], error["call"]) == ("physics", "step")
    assert "silent on /arm/joint_states for 2 s" in error["reason"]


def test_a_robot_that_is_started_anew_is_followed_on(tmp_path: Path) -> None:
    domain = new_domain()
    spec = {"live": "", "timeout": 60, "wait": 60}
    with live(tmp_path / "run", domain, spec) as (twin, _), watching(domain, twin) as watcher:
        states = watcher.listen(DiagnosticArray, "/diagnostics")
        events = watcher.listen(Event, "/hetwin/events")
        with robot(domain, "--stand", "60") as process:
            watcher.wait(lambda: told(states, "twin follows") == "yes", "a twin that follows")
            process.kill()
        watcher.wait(
            lambda: any("the twin waits" in s.message for m in states for s in m.status),
            "a diagnosis that says: the twin waits",
        )
        with robot(domain, "--stand", "60"):
            watcher.wait(lambda: "robot_gap" in {e.name for e in events}, "event robot_gap")
            stop = watcher.call(StopSimulation, "/hetwin/stop_simulation", StopSimulation.Request())
            assert stop.accepted
            ended = finish(twin)
    assert ended.code == 0, ended.err
    assert ended.json["ended"] == "stopped"
    assert ended.json["live"]["states"] > 0


def test_no_robot_is_bad_input(tmp_path: Path) -> None:
    domain = new_domain()
    source = ("--source", json.dumps({"live": "", "wait": 1.0}))
    with running(PICK_AND_PLACE, tmp_path / "run", *source, transport="local", domain=domain) as (
        process,
        _,
    ):
        ended = finish(process)
    assert ended.code == 2
    assert "the robot publishes no joint states" in ended.err
    assert not (tmp_path / "run").exists()
