"""Long work is never silent: what is written in silence, and that real commands keep to it."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.plugins import needs
from support.ros_runs import TESTS

from hetwin_suite.running.patience import ProgressReminder, never_silent, to_stderr
from hetwin_suite.view.report import report_page

SHORT_S, SHORTEST_S = 0.3, 0.05
"""Silences that commands are allowed here, instead of seconds."""
SLOW_MODEL = """
import time

from toys_of_mine import ToyCup


class Slow(ToyCup):
    wait_s = 2.0  # of the first instance in a process

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
  cup: {type: "MODULE:Slow"}
"""


def test_only_silence_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("hetwin_suite.running.patience.time.monotonic", lambda: now[0])
    lines: list[str] = []
    patience = ProgressReminder(lines.append, 5.0)
    patience.remind("waiting")
    assert lines == []
    now[0] += 5.5
    patience.remind("waiting")
    patience.remind("waiting")
    assert lines == ["waiting (6 s)"]
    now[0] += 4.0
    patience.restart()
    now[0] += 4.0
    patience.remind("waiting")
    assert len(lines) == 1
    now[0] += 1.0
    patience.remind("waiting")
    assert lines[1:] == ["waiting (14 s)"]


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


@pytest.fixture
def impatient(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Commands, in an empty folder, are silent for so many seconds at most."""
    monkeypatch.setattr(ProgressReminder.__init__, "__defaults__", (request.param,))
    monkeypatch.setattr(never_silent.__wrapped__, "__defaults__", (to_stderr, request.param))  # type: ignore[attr-defined]
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("impatient", [SHORT_S], indirect=True)
@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("run slow.yaml --no-page --out local", "cup: initialize"),
        ("run slow.yaml --no-page --transport ros --out ros", "waiting for the models' nodes"),
        ("check slow.yaml", "cup: initialize"),
        ("check-model MODULE:Slow", "checking initialize"),
    ],
)
def test_a_command_says_again_and_again_what_it_waits_for(
    words: str, says: str, impatient: None, tmp_path: Path
) -> None:
    module = re.sub(r"\W+", "_", f"slow_cup_for_{words}")  # each is imported anew
    shutil.copy(TESTS / "support" / "toys.py", tmp_path / "toys_of_mine.py")
    (tmp_path / f"{module}.py").write_text(SLOW_MODEL)
    (tmp_path / "slow.yaml").write_text(SLOW_SCENARIO.replace("MODULE", module))
    said = hetwin(*words.replace("MODULE", module).split())
    assert said.code == 0, said.err
    assert said.err.count(says) >= 2  # in a wait of six times the period


@needs("hetwin_bauer2022")
@pytest.mark.slow
@pytest.mark.parametrize("impatient", [SHORTEST_S], indirect=True)
def test_a_command_is_not_silent_while_it_works(
    impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(folder: Path) -> str:
        time.sleep(6 * SHORTEST_S)
        return report_page(folder)

    monkeypatch.setattr("hetwin_suite.view.report.report_page", slowly)
    for words, says in (
        ("record drop --episodes 1 --seed 3 --out drops", r"^0 of 1 recorded \(\d s\)$"),
        ("evaluate table2 --episodes drops --approaches single", r"^0 of 1 judged \(\d s\)$"),
        ("run pick_and_place --duration 1 --out whole", r"^drawing the page \(\d s\)$"),
    ):
        said = hetwin(*words.split())
        assert said.code == 0, said.err
        assert re.search(says, said.err, re.MULTILINE), (words, said.err)
