"""The ensemble under a real `ros2 launch`, looked at with the real `ros2` command.

Needs launch, launch_ros and ros2cli, and a sourced colcon installation of hetwin; skips by name where they are not.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.ros_domains import new_domain
from support.waiting import wait_for_all

HERE = Path(__file__).resolve().parent
EPISODE = HERE.parents[1] / "scenarios" / "episodes" / "pick_and_place"
LIMIT_S = 200.0


def _missing() -> str:
    absent = [
        name
        for name in ("launch", "launch_ros", "launch_testing", "ros2launch", "ros2cli")
        if importlib.util.find_spec(name) is None
    ]
    # Folders of ours have such names too; a real package has a file.
    if not absent and importlib.util.find_spec("launch").origin is None:  # type: ignore[union-attr]
        absent = ["launch"]
    if absent:
        return f"not installed: {', '.join(absent)}"
    if shutil.which("ros2") is None or shutil.which("launch_test") is None:
        return "ros2 and launch_test are not on the path"
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    if not any(Path(prefix, "lib/hetwin/conductor").is_file() for prefix in prefixes):
        return "no colcon installation of hetwin is sourced"
    return ""


pytestmark = pytest.mark.skipif(bool(reason := _missing()), reason=reason or "-")


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "ROS_DOMAIN_ID": str(new_domain()),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
        "ROS_LOG_DIR": str(tmp_path / "ros_log"),
    }


def ros2(*words: str, env: dict[str, str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["ros2", *words], env=env, cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S
    )


def wait_for_nodes(*names: str, env: dict[str, str], cwd: Path) -> None:
    """Wait until `ros2 node list` shows them: a list that is taken once may lack those not yet found."""
    listing = ("node", "list", "--no-daemon", "--spin-time", "2")
    wait_for_all(
        [f"/{name}" for name in names],
        lambda: ros2(*listing, env=env, cwd=cwd).stdout.split(),
        "nodes",
    )


def launch(*arguments: str) -> tuple[str, ...]:
    return ("launch", "hetwin", "scenario.launch.py", *arguments)


@contextmanager
def launched(*arguments: str, env: dict[str, str], cwd: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        ["ros2", *launch(*arguments)],
        env=env,
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()


def test_the_demo_runs_to_its_end(env: dict[str, str], tmp_path: Path) -> None:
    done = ros2(*launch("scenario:=pick_and_place"), env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    said = done.stdout + done.stderr
    assert "box picked up by gripper" in said
    assert "the simulation is over" in said
    assert list((tmp_path / "runs").glob("*/summary.json"))


def test_the_page_of_a_run_is_served(env: dict[str, str], tmp_path: Path) -> None:
    page = ("show:=true", "show_port:=0", "pace:=0.5")
    done = ros2(*launch(*page, "duration:=3.0", "in_process:=all"), env=env, cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    assert "the run is shown at http://127.0.0.1:" in said


def test_a_failed_run_fails_the_launch(env: dict[str, str], tmp_path: Path) -> None:
    done = ros2(*launch("source:=nowhere"), env=env, cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "there is no such recording" in said
    assert "the simulation failed: the conductor ended with code 2" in said


def test_a_scenario_that_is_not_there_starts_nothing(env: dict[str, str], tmp_path: Path) -> None:
    done = ros2(*launch("scenario:=nonsense"), env=env, cwd=tmp_path)
    said = done.stdout + done.stderr
    assert done.returncode == 1, said
    assert "there is no such scenario" in said
    assert "process started" not in said


def test_arguments_are_declared_and_described(env: dict[str, str], tmp_path: Path) -> None:
    done = ros2(*launch("--show-args"), env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for name in ("scenario", "source", "engine", "rviz", "namespace", "models", "use_sim_time"):
        assert f"'{name}'" in done.stdout


def test_the_ros2_command_sees_nodes_services_and_topics(
    env: dict[str, str], tmp_path: Path
) -> None:
    live = '{"live": "", "wait": 60, "timeout": 60}'
    robot = [sys.executable, "-m", "hetwin_suite.cli.command", "robot", "play", "pick_and_place"]
    with launched(f"source:={live}", "in_process:=physics", env=env, cwd=tmp_path):
        standing = subprocess.Popen(
            [*robot, "--stand", "100"], env=env, cwd=tmp_path, stdout=subprocess.DEVNULL
        )
        try:
            topic = ("/hetwin/responsibilities", "hetwin/msg/Responsibilities")
            latched = ("--qos-durability", "transient_local", "--qos-reliability", "reliable")
            echo = ("topic", "echo", "--once", *topic, *latched)  # waits until it is there
            echoed = ros2(*echo, env=env, cwd=tmp_path)
            wait_for_nodes("conductor", "grasp", "holding", "robot_listener", env=env, cwd=tmp_path)
            kind = "hetwin/srv/AnnotateAction"
            wave = "{annotation: {operation: wave, phase: instant}}"
            service = "/hetwin/annotate_action"
            called = ros2("service", "call", service, kind, wave, env=env, cwd=tmp_path)
            stop = ("service", "call", "/hetwin/stop_simulation", "hetwin/srv/StopSimulation", "{}")
            stopped = ros2(*stop, env=env, cwd=tmp_path)
        finally:
            standing.terminate()
            standing.wait(20)
            ros2("daemon", "stop", env=env, cwd=tmp_path)  # it would stay for two hours
    assert "attribute: pose" in echoed.stdout, echoed.stderr
    assert "accepted=True" in called.stdout, called.stdout + called.stderr
    assert "accepted=True" in stopped.stdout, stopped.stdout + stopped.stderr


@pytest.mark.skipif(
    importlib.util.find_spec("simulation_interfaces") is None,
    reason="simulation_interfaces is not installed",
)
def test_a_stopped_twin_is_played_and_quit_by_the_standards_services(
    env: dict[str, str], tmp_path: Path
) -> None:
    def call(name: str, request: str = "{}") -> str:
        service = "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_")
        kind = f"simulation_interfaces/srv/{name}"
        done = ros2("service", "call", f"/hetwin/{service}", kind, request, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with launched("start:=stopped", "in_process:=all", env=env, cwd=tmp_path) as twin:
        assert "state=0" in call("GetSimulationState")
        assert "result=1" in call("SetSimulationState", "{state: {state: 2}}")
        assert "result=1" in call("StepSimulation", "{steps: 40}")
        state = call("GetEntityState", "{entity: box}")
        assert "nanosec=100000000" in state
        assert "result=1" in call("SetSimulationState", "{state: {state: 3}}")
        said, _ = twin.communicate(timeout=60)
    assert twin.returncode == 0, said
    assert "the simulation is over" in said


@pytest.mark.skipif(
    importlib.util.find_spec("ros2bag") is None, reason="not installed: ros2bag (rosbag2)"
)
def test_ros2_bag_play_is_a_robot(env: dict[str, str], tmp_path: Path) -> None:
    live = '{"live": "", "timeout": 5, "on_silence": "end", "wait": 60}'
    given = (f"source:={live}", "in_process:=all", "use_sim_time:=true")
    play = ("bag", "play", str(EPISODE), "--clock", "100", "--disable-keyboard-controls")
    with launched(*given, env=env, cwd=tmp_path) as twin:
        wait_for_nodes("robot_listener", env=env, cwd=tmp_path)
        played = ros2(*play, env=env, cwd=tmp_path)
        said, _ = twin.communicate(timeout=120)
    assert played.returncode == 0, played.stderr
    assert twin.returncode == 0, said
    (summary,) = tmp_path.glob("runs/*/summary.json")
    outcome = json.loads(summary.read_text(encoding="utf-8"))
    assert outcome["ended"] == "live"
    assert outcome["live"]["states"] > 800  # a hundred a second
    # The robot moves already when the twin begins, but has not gripped yet.
    assert {"picked_up", "put_down"} <= {event["name"] for event in outcome["events"]}
    assert outcome["state"]["on(box, tray)"] is True


def test_launch_test_passes(env: dict[str, str], tmp_path: Path) -> None:
    done = subprocess.run(
        ["launch_test", str(HERE / "demo.launch.test.py")],
        env=env,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_of_two_launches_in_a_namespace_one_runs_and_one_starts_nothing(
    env: dict[str, str], tmp_path: Path
) -> None:
    given = ("scenario:=pick_and_place", "duration:=0.5")
    with (
        launched(*given, env=env, cwd=tmp_path) as one,
        launched(*given, env=env, cwd=tmp_path) as other,
    ):
        said = {process: process.communicate(timeout=LIMIT_S)[0] for process in (one, other)}
    (ran,) = [process for process in (one, other) if process.returncode == 0]
    refused = other if ran is one else one
    assert refused.returncode == 1
    assert "process started" not in said[refused]
    for part in ("another run, r", "has the namespace '/' of ROS domain", "namespace:=NAME"):
        assert part in said[refused]
    assert len(list(tmp_path.glob("runs/*"))) == 1


def test_launches_in_two_namespaces_run_both(env: dict[str, str], tmp_path: Path) -> None:
    given = ("scenario:=pick_and_place", "duration:=0.5", "in_process:=all")
    with (
        launched(*given, "namespace:=left", env=env, cwd=tmp_path) as left,
        launched(*given, "namespace:=right", env=env, cwd=tmp_path) as right,
    ):
        said = {process: process.communicate(timeout=LIMIT_S)[0] for process in (left, right)}
    assert [process.returncode for process in said] == [0, 0], said
    assert len(list(tmp_path.glob("runs/*"))) == 2
