"""Pages, questions and logs show unannounced things."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.browser import open_page
from support.hetwin_command import hetwin
from unannounced_things import Detection, scenario

import hetwin_suite
from hetwin_suite.episode import open_episode

MUG = Detection("mug", (0.3, 0.4, 0.8))


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in which a mug appears at 0.7 s and vanishes at 1.9 s, with its page."""
    folder = tmp_path_factory.mktemp("shown")
    times = [round(0.5 + 0.1 * i, 1) for i in range(20)]
    messages = {time: [MUG] if time < 1.45 else [] for time in times}
    ended = hetwin(
        *("run", scenario(folder, messages), "--duration", "2.5"),
        *("--out", folder / "run"),
    )
    assert ended.code == 0, ended.err
    assert "thing_0 appeared: mug, by /detections" in ended.out
    assert "thing_0 vanished: it was not seen 5 times in a row" in ended.out
    return folder


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("holds(present('thing_0'), at(1.2))", True),
        ("holds(present('thing_0'), at(end))", False),
        ("count(occurs(appeared(any))) == 1", True),
        ("count(occurs(vanished('thing_0'))) == 1", True),
        ("count(occurs(vanished('thing_1'))) == 0", True),
    ],
)
def test_questions_are_answered(shown: Path, question: str, holds: bool) -> None:
    ended = hetwin("ask", shown / "run", question, "--json")
    assert ended.code == 0, ended.err
    (answer,) = json.loads(ended.out)["answers"]
    assert answer["value"] is holds


def test_questions_about_vanishing_have_answers_where_nothing_vanished(tmp_path: Path) -> None:
    summary = hetwin_suite.run("pick_and_place", out=tmp_path / "run", duration=0.1)
    ended = hetwin("ask", summary.folder, "count(occurs(vanished(any))) == 0")
    assert ended.code == 0, ended.err


def test_the_log_has_size_and_covariance_while_it_is_there(shown: Path) -> None:
    episode = open_episode(shown / "run")
    seconds = episode.seconds
    there = (seconds > 1.0) & (seconds < 1.8)
    assert (episode.attribute("thing_0", "thing_size")[there] == 0.05).all()
    assert (episode.attribute("thing_0", "pose_covariance")[there, 0] == 1e-4).all()
    assert not episode.attribute("thing_0", "thing_size")[seconds > 2.2].any()
    summary = json.loads((shown / "run" / "summary.json").read_text())
    assert summary["state"]["present(thing_0)"] is False


@pytest.mark.browser
def test_the_page_looks_at_the_robot_and_not_at_objects_in_reserve(
    shown: Path, browser: Any
) -> None:
    page = shown / "run" / "report.html"
    assert "thing_0 appeared: mug, by /detections" in page.read_text()
    with open_page(browser, offline=True) as watched:
        watched.page.goto(page.as_uri())
        assert watched.tell("async () => await hetwin.ready") is True
        camera = np.array(watched.tell("() => hetwin.camera"))
        assert np.linalg.norm(camera[:3]) < 10.0
        assert np.linalg.norm(camera[3:]) < 3.0
        watched.tell("async (time) => { await hetwin.seek(time); }", 1.2)
        assert watched.tell("(name) => hetwin.pose(name)", "thing_0")[:3] == pytest.approx(
            MUG.at, abs=1e-3
        )
