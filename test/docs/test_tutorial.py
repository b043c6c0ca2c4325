"""The tutorial's files do what it says: its scenario is checked and follows its robot."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import warm_starts
from support.ros_domains import new_domain

from hetwin_core.ensemble.resources import find

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")


def block(language: str) -> str:
    """The first block of code in a language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)
    assert found is not None
    return found.group(1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if not any("example-robot-data" in str(p) for p in Path(sys.prefix).glob("lib/**/share/*")):
        pytest.skip("no robot descriptions: pip install example-robot-data")
    (tmp_path / "panda.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "swing.py").write_text(block("python"), encoding="utf-8")
    return tmp_path


def test_the_scenario_is_fine_without_its_robot(folder: Path) -> None:
    done = warm_starts.run([*HETWIN, "check", "panda.yaml"], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "panda" in done.stdout


def test_what_the_robot_has_and_where_its_hand_comes(folder: Path) -> None:
    script = next(
        b for b in re.findall(r"^```sh\n(.*?)^```$", TUTORIAL, re.M | re.S) if "describe" in b
    )
    own = f"{Path(sys.prefix) / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": own},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "panda: " in done.stdout
    assert "1 of 1 solved" in done.stdout


def test_the_twin_follows_the_robot(folder: Path) -> None:
    env = {
        **os.environ,
        "ROS_DOMAIN_ID": str(new_domain()),
        "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST",
    }
    robot = subprocess.Popen([sys.executable, "swing.py"], cwd=folder, env=env)
    try:
        command = [*HETWIN, "run", "panda.yaml", "--duration", "8", "--json", "--no-page"]
        done = warm_starts.run([*command, "--out", "run"], cwd=folder, env=env)
    finally:
        robot.terminate()
        robot.wait(20)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert {"swing", "looks_left"} <= {event["name"] for event in outcome["events"]}
    # Eight seconds: a hundred states a second are published, and the lag of each is measured.
    assert outcome["live"]["states"] > 700


def test_what_it_names_is_there() -> None:
    assert find("launch/foxglove_layout.json", ROOT / "docs") is not None
    layout = json.loads((ROOT / "launch" / "foxglove_layout.json").read_text(encoding="utf-8"))
    shown = set(re.findall(r'"/(hetwin/\w+|diagnostics)', json.dumps(layout)))
    interface = (ROOT / "docs" / "reference" / "ros.md").read_text(encoding="utf-8")
    assert shown
    assert all(f"`{topic}`" in interface for topic in shown)
    arguments = set(re.findall(r"(\w+):=", TUTORIAL))
    launch_file = (ROOT / "launch" / "scenario.launch.py").read_text(encoding="utf-8")
    for name in arguments:
        assert f'"{name}"' in launch_file
