"""The example of the page on mobile robots drives, and a twin follows its log."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from support import warm_starts
from support.ros_domains import new_domain

from hetwin_core.ensemble.scenario.robot import FollowedBase, Robot
from hetwin_core.ensemble.scenario.strict_yaml import load, parse
from hetwin_core.episodes.episode import Episode

ROOT = Path(__file__).resolve().parents[2]
COURIER = ROOT / "examples" / "courier"
PAGE = (ROOT / "docs" / "mobile_robots.md").read_text(encoding="utf-8")
HETWIN = (sys.executable, "-m", "hetwin_suite.cli.command")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if not COURIER.is_dir():
        pytest.skip("examples/courier is not here")
    return Path(shutil.copytree(COURIER, tmp_path / "courier"))


def run(folder: Path, env: Mapping[str, str], *arguments: str) -> Episode:
    done = warm_starts.run(
        [*HETWIN, "run", *arguments, "--no-page"], cwd=folder, env={**os.environ, **env}
    )
    assert done.returncode == 0, done.stderr
    return Episode.open(folder / arguments[-1])


def test_what_scenarios_say_of_robots_fits_the_schema() -> None:
    robots = [parse(text, Path("page.yaml")).data["robot"] for text in blocks("yaml")]
    if COURIER.is_dir():
        robots += [load(file).data["robot"] for file in sorted(COURIER.glob("*.yaml"))]
    bases = [Robot.model_validate(robot).base for robot in robots]
    followed = [base for base in bases if isinstance(base, FollowedBase)]
    assert [base.start for base in followed] == ["/amcl_pose", None][: len(bases) - 1]


@pytest.mark.long
def test_the_courier_drives_and_a_twin_follows_its_log(folder: Path) -> None:
    env = {"ROS_DOMAIN_ID": str(new_domain()), "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}
    driver = subprocess.Popen(
        [sys.executable, "drive.py"],
        cwd=folder,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        drove = run(folder, env, "courier.yaml", "--duration", "5", "--out", "run")
        said, _ = driver.communicate(timeout=30)
    finally:
        driver.kill()
    assert re.match(r"at \d\.\d\d -?\d\.\d\d m, nearest \d\.\d\d m", said)
    followed = run(folder, env, "follow.yaml", "--out", "follow")
    way, again = drove.pose("courier"), followed.pose("courier")
    assert np.linalg.norm(way[-1, :2] - way[0, :2]) > 0.3
    # It follows odometry, from which the floor parts the truth a little.
    assert np.linalg.norm(again[-1, :2] - way[-1, :2]) < 0.05
