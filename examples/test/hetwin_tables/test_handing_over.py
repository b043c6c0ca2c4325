"""The shipped scenario `handing_over`: two robots, each moved by its own recording, hand a bar over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.cli_runs import ROOT
from support.hetwin_command import hetwin, refused
from support.twin_runs import times_of

from hetwin_core.ensemble.scenario.scenario import load_scenario
from hetwin_core.episodes.episode import Episode
from hetwin_suite.view.film.from_episode import film_of
from model_nodes.main_physics.sources.recording import Recording

SCENARIO = ROOT / "examples" / "hetwin_tables" / "scenarios" / "handing_over.yaml"
TRUTH = SCENARIO.parent / "episodes" / "handing_over_truth.json"


def run(transport: str, out: Path) -> Any:
    given = ("--engine", "mujoco", "--transport", transport, "--json", "--no-page")
    return hetwin("run", SCENARIO, *given, "--out", out).json


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("handing_over") / "run"


@pytest.fixture(scope="module")
def summary(folder: Path) -> Any:
    return run("local", folder)


@pytest.fixture(scope="module")
def twin(folder: Path, summary: Any) -> Episode:
    assert summary["ended"] == "recording"
    return Episode.open(folder)


def test_the_bar_goes_from_hand_to_hand(summary: Any) -> None:
    done = [(h["from"], h["to"]) for h in summary["handovers"]]
    assert done == [
        ("physics", "left_holding"),
        ("left_holding", "right_holding"),
        ("right_holding", "physics"),
    ]


def test_the_story_is_told_in_order(twin: Episode) -> None:
    (picked_up,) = times_of(twin, "picked_up")
    given, put_on = times_of(twin, "released")
    (put_down,) = times_of(twin, "put_down")
    assert 3.5 < picked_up < 4.3
    assert 9.5 < given < 10.3
    assert 13.5 < put_on <= put_down < 14.2


def test_the_bar_is_where_it_really_was(twin: Episode) -> None:
    truth: dict[str, Any] = json.loads(TRUTH.read_text(encoding="utf-8"))
    path = np.array(truth["path"])
    found = np.array([np.interp(path[:, 0], twin.seconds, x) for x in twin.pose("box")[:, :3].T]).T
    apart = np.linalg.norm(found - path[:, 1:4], axis=1)
    assert apart.max() < 0.008
    assert apart[-1] < 0.005


def test_both_robots_follow_their_recordings(twin: Episode) -> None:
    for robot in ("left", "right"):
        assert np.abs(twin.attribute(robot, "joint_deviation")).max() < 1e-3
    entity = twin.layout.entity("right")
    assert entity.joints[0] == "right::shoulder_pan_joint"
    assert twin.pose("right")[0, :3] == pytest.approx([1.16, 0.0, 0.0])


def test_actions_say_which_robot_does_them(summary: Any) -> None:
    actions = [e for e in summary["events"] if e["kind"] == "action"]
    hands = {(e["arguments"]["robot"], e["arguments"]["hand"]) for e in actions}
    assert hands == {("left", "left_gripper"), ("right", "right_gripper")}


@pytest.mark.long
def test_both_transports_agree(summary: Any, tmp_path: Path) -> None:
    over_ros = run("ros", tmp_path / "ros")
    assert over_ros["digest"] == summary["digest"]
    assert over_ros["deterministic"] is summary["deterministic"] is True


def changed(folder: Path, *changes: tuple[str, str]) -> Path:
    text = SCENARIO.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    file = folder / "bad.yaml"
    file.write_text(text, encoding="utf-8")
    return file


LEFT, RIGHT = "episodes/handing_over/left", "episodes/handing_over/right"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (((LEFT, "@"), (RIGHT, LEFT), ("@", RIGHT)), "recording of another robot"),
        (((RIGHT, LEFT),), "two robots use the same source"),
        ((("rate: 400", "rate: 400\nsource: live"),), "each has its own source"),
        ((("    robot: left\n", ""),), "does not name its robot"),
        ((("robot: left", "robot: lefd"),), "perhaps 'left'"),
        ((("  right:\n", "  left:\n"),), "a key appears twice"),
        ((("rate: 400", "rate: 400\nrobot: urdf/tabletop_arm.urdf"),), "exclude each other"),
        ((("    urdf:", "    name: arm\n    urdf:"),), "the key names the robot"),
        ((("link: gripper_base", "link: gripper"),), "the robot has no such link"),
        ((("tabletop_arm.urdf", "table_arm.urdf"),), "there is no such file"),
        (
            ((f"source: scenarios/{RIGHT}", "source: live"),),
            "one robot is recorded and another one is live",
        ),
    ],
)
def test_what_is_refused(tmp_path: Path, changes: tuple[tuple[str, str], ...], says: str) -> None:
    file = changed(tmp_path, *changes)
    refused(tmp_path, "check", file, says=(says,))


def test_live_robots_are_told_apart_by_their_namespaces(tmp_path: Path) -> None:
    live = "source: {live: '', timeout: 3}"
    changes = ((f"source: scenarios/{LEFT}", live), (f"source: scenarios/{RIGHT}", live))
    assert set(load_scenario(changed(tmp_path, *changes)).file.robots) == {"left", "right"}
    one = live.replace("''", "arm")
    same = ((f"source: scenarios/{LEFT}", one), (f"source: scenarios/{RIGHT}", one))
    file = changed(tmp_path, *same)
    refused(tmp_path, "check", file, says=("two robots use the same source",))


def test_one_source_cannot_be_named_for_several_robots(tmp_path: Path) -> None:
    given = ("--source", "live", "--out", tmp_path / "run")
    refused(tmp_path, "run", SCENARIO, *given, says=("several robots", "robots.left.source"))


def test_each_robot_has_its_topics_in_the_log(twin: Episode, folder: Path) -> None:
    read = Recording.open(folder / "log")
    for robot in ("left", "right"):
        joints = read.topics[f"/{robot}/joint_states"]
        assert joints.count > 1000
        assert read.topics[f"/{robot}/robot_description"].count == 1
    assert "/joint_states" not in {name for name, topic in read.topics.items() if topic.count}
    names = set(read.joints({"elbow_joint"}))
    assert "elbow_joint" in names


def test_the_actions_of_each_robot_have_lanes_of_their_own(twin: Episode) -> None:
    assert {done.lane for done in film_of(twin).doings} == {"actions of left", "actions of right"}
