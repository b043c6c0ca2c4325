"""Long work is never silent: what is written in silence, and that real commands keep to it."""

from __future__ import annotations

import os
import selectors
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from support.ros_domains import new_domain

from hetwin_suite.running.patience import Patience, never_silent

ROOT = Path(__file__).resolve().parents[3]
LONGEST_S = 20.0
"""Several times what users should see, as a machine that runs other tests as well stands still now and then."""
SLOW_MODEL = """
import time

from toys_of_mine import ToyCup


class Slow(ToyCup):
    wait_s = 9.0  # of the first instance in a process

    def initialize(self, settings, scene):
        time.sleep(Slow.wait_s)
        Slow.wait_s = 0.0
        super().initialize(settings, scene)
"""
SLOW_SCENARIO = """
scenario: slow
rate: 100
models:
  physics: {type: "toys_of_mine:ToyPhysics", main: true, parameters: {until: 0.1}}
  cup: {type: "slow_cup:Slow"}
"""


def test_only_silence_is_filled() -> None:
    lines: list[str] = []
    patience = Patience(lines.append, 0.2)
    patience.look("waiting")
    assert lines == []
    time.sleep(0.25)
    patience.look("waiting")
    patience.look("waiting")
    assert lines == ["waiting (0 s)"]
    time.sleep(0.15)
    patience.heard()
    time.sleep(0.15)
    patience.look("waiting")
    assert len(lines) == 1


def test_work_that_does_not_look_is_never_silent() -> None:
    lines: list[str] = []
    done = 0
    with never_silent(lambda: f"{done} done", lines.append, 0.1):
        time.sleep(0.3)
        done = 1
        time.sleep(0.3)
    count = len(lines)
    time.sleep(0.3)
    assert len(lines) == count >= 3
    assert (lines[0], lines[-1]) == ("0 done (0 s)", "1 done (1 s)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slow")
    shutil.copy(ROOT / "test" / "support" / "toys.py", path / "toys_of_mine.py")
    (path / "slow_cup.py").write_text(SLOW_MODEL)
    (path / "slow.yaml").write_text(SLOW_SCENARIO)
    return path


def listened(folder: Path, *arguments: str) -> tuple[float, str]:
    """Run a command; the longest silence [s] and what was written."""
    environment = {**os.environ, "ROS_DOMAIN_ID": str(new_domain())}
    process = subprocess.Popen(
        [sys.executable, "-m", "hetwin_suite.cli.main", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    times = [time.monotonic()]
    written = b""
    with selectors.DefaultSelector() as selector, process:
        selector.register(process.stdout, selectors.EVENT_READ)
        while selector.select(120.0):
            found = os.read(process.stdout.fileno(), 65536)
            times.append(time.monotonic())
            written += found
            if not found:
                break
    text = written.decode()
    assert process.returncode == 0, text
    return max(after - before for before, after in pairwise(times)), text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run slow.yaml --no-report --out local", "cup: initialize"),
        ("run slow.yaml --no-report --transport ros --out ros", "waiting for the models' nodes"),
        ("check slow.yaml", "cup: initialize"),
        ("check-model slow_cup:Slow", "checking initialize"),
    ],
)
def test_a_command_says_again_and_again_what_it_waits_for(
    words: str, says: str, folder: Path
) -> None:
    _, text = listened(folder, *words.split())
    assert text.count(says) >= 2  # in a wait of three times the period


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("record drop --episodes 1 --seed 3 --out drops", "1 of 1"),
        ("evaluate table2 --episodes drops --approaches single", ""),
        ("run pick_and_place --out whole", ""),
        ("report whole", ""),
    ],
)
def test_a_command_is_never_silent_for_long(words: str, says: str, folder: Path) -> None:
    longest, text = listened(folder, *words.split())
    assert says in text
    assert longest < LONGEST_S
