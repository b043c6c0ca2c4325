"""A robot's program in the loop: what it says is in the log, as a real robot's would be."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from support.hetwin_command import hetwin
from support.programs import LOOK_AND_REACH, write_programmed

import hetwin_suite
from hetwin_core.episodes.tables.open import open_tables
from hetwin_core.episodes.tables.rows import Status
from hetwin_core.episodes.tables.tables import Tables


@dataclass(frozen=True)
class Ran:
    """A run of `LOOK_AND_REACH`."""

    scenario: Path
    summary: hetwin_suite.Summary
    tables: Tables


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("programmed")
    scenario = write_programmed(folder, LOOK_AND_REACH)
    summary = hetwin_suite.run(scenario, out=folder / "run", seed=3)
    return Ran(scenario, summary, open_tables(folder / "run"))


def test_tasks_and_actions_are_a_tree(ran: Ran) -> None:
    tasks = {task.id: task for task in ran.tables.tasks}
    assert set(tasks) == {"fetch.1", "look.1", "reach.1"}
    assert tasks["look.1"].parent == tasks["reach.1"].parent == "fetch.1"
    assert tasks["look.1"].span.to_ns <= tasks["reach.1"].span.from_ns
    assert tasks["fetch.1"].variables["found"] == 1


def test_the_arm_goes_where_the_box_was_seen(ran: Ran) -> None:
    (task,) = [task for task in ran.tables.tasks if task.id == "fetch.1"]
    assert task.status is Status.FAILED
    assert task.reason == "0.150 m above it"


def test_percepts_are_beliefs_near_the_truth(ran: Ran) -> None:
    rows = [row for row in ran.tables.beliefs.find("loc", "box") if row.origin == "percept"]
    assert len(rows) == 3
    _, truth = ran.tables.poses.at("box", rows[0].span.from_ns)
    for row in rows:
        assert row.pose is not None
        assert row.pose[:3] == pytest.approx(truth[:3], abs=0.005)
        assert row.pose[:3] != pytest.approx(truth[:3], abs=1e-6)
    assert any(ran.tables.occasions.find("visible", "box"))


def test_the_truth_behind_a_percept_is_logged_beside_it(ran: Ran) -> None:
    pictures = [event for event in ran.summary.events if event["name"] == "picture"]
    assert len(pictures) == 3
    assert {tuple(event["arguments"]["truth"]) for event in pictures} == {("box",)}


def test_the_same_seed_gives_the_same_run(ran: Ran, tmp_path: Path) -> None:
    again = hetwin_suite.run(ran.scenario, out=tmp_path / "again", seed=3)
    assert ran.summary.deterministic
    assert again.digest == ran.summary.digest


def test_over_ros_the_run_is_the_same(ran: Ran, tmp_path: Path) -> None:
    over_ros = hetwin_suite.run(ran.scenario, transport="ros", out=tmp_path / "ros", seed=3)
    assert over_ros.digest == ran.summary.digest


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        ("import no_such_thing\n", 2, ("programmed.yaml", "source.program", "no_such_thing")),
        (
            "def program(robot):\n    robot.wait(0.1)\n    robot.truth\n",
            1,
            ("no truth", "work.py:3"),
        ),
    ],
    ids=["cannot be imported", "asks for the truth"],
)
def test_a_wrong_program_ends_the_command(
    tmp_path: Path, program: str, code: int, words: tuple[str, ...]
) -> None:
    scenario = write_programmed(tmp_path, program)
    ended = hetwin("run", scenario, "--no-page", "--out", tmp_path / "run")
    assert ended.code == code, ended
    assert "Traceback" not in ended.err
    for word in words:
        assert word in ended.err


ASK_FOR_FUNCTIONS = """
from hetwin_programs import Failed

def program(robot):
    assert robot.good_for("pickable") == ("box",)
    assert robot.good_for("openable") == ()
    assert robot.functions("tray") == {"receptacle": {}}
    assert robot.functions("nothing") == {}
    robot.wait(0.1)
    robot.good_for("edible")
"""


def test_a_program_asks_what_things_are_good_for(tmp_path: Path) -> None:
    scenario = write_programmed(tmp_path, ASK_FOR_FUNCTIONS)
    text = scenario.read_text()
    kinds = "{box: {attributes: {pickable: true}}, tray: {attributes: {receptacle: true}}}"
    scenario.write_text(text.replace("{box: {tags: [graspable]}}", kinds))
    ended = hetwin("run", scenario, "--no-page", "--out", tmp_path / "run")
    assert ended.code == 1
    assert "there is no functional attribute edible; expected one of" in ended.err
    assert "work.py:10" in ended.err
