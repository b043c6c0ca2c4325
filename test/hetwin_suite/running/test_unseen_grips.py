"""Hands that close where the scene has nothing: runs, questions and the page say what the fingers say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.hetwin_command import hetwin
from support.recorded_bags import joints, write_bag
from support.robot_files import TABLETOP_ARM, data, example

from hetwin_suite import Summary, run
from hetwin_suite.episode import END, at, fluent, open_episode
from hetwin_suite.view.report import write_report

FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
OPEN, AT = 0.04, 0.025
HOLDING = fluent("holding", "gripper")


def stalled(folder: Path, *, opens: bool) -> Path:
    """Fingers close within 1 s, stop 5 cm apart and press with 20 N; they may open again at 3 s."""
    messages = []
    for tick in range(201):
        time = tick * 0.02
        width = float(np.interp(time, [0.5, 1.0, 3.0, 3.3], [OPEN, AT, AT, OPEN if opens else AT]))
        effort = -20.0 if 1.0 <= time < 3.0 or (not opens and time >= 1.0) else -0.5
        messages.append(joints(tick * 20_000_000, FINGERS, [width] * 2, efforts=[effort] * 2))
    return write_bag(folder, messages)


def followed(tmp_path: Path, recording: Path, robot: Path | str, **more: float) -> Summary:
    """A run in a scene without objects, as `hetwin new` writes it."""
    said = hetwin("new", recording, "--robot", robot, "--out", tmp_path / "twin")
    assert said.code == 0, said.err
    (scenario,) = (tmp_path / "twin").glob("*.yaml")
    return run(scenario, out=tmp_path / "run", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("opens", [True, False])
def test_fingers_that_stop_with_no_object_in_the_scene(tmp_path: Path, opens: bool) -> None:
    summary = followed(tmp_path, stalled(tmp_path / "bag", opens=opens), TABLETOP_ARM)
    assert summary.verdict == "unchecked"
    assert summary.state["holding(gripper)"] is (False if opens else None)
    episode = open_episode(tmp_path / "run")
    assert episode.holds(HOLDING, at(0.3)).truth is False
    answer = episode.holds(HOLDING, at(2.0))
    assert answer.truth is None
    assert "the fingers stopped 5 cm apart" in answer.why[0]
    assert episode.holds(HOLDING, at(END)).truth is (False if opens else None)
    page = write_report(tmp_path / "run").read_text(encoding="utf-8")
    assert "closed on something 5 cm wide at" in page
    assert "a grey one where that is not known" in page


@pytest.mark.slow
def test_baxter_carries_something_that_the_scene_does_not_have(tmp_path: Path) -> None:
    robot = example("baxter_description/urdf/baxter.urdf")
    summary = followed(tmp_path, data("baxter_pnp_mcap"), robot, duration=12.5)
    assert summary.state["holding(right_hand)"] is None
    assert summary.verdict == "unchecked"
    episode = open_episode(tmp_path / "run")
    assert episode.holds(fluent("holding", "right_hand"), at(5)).truth is False
    assert episode.holds(fluent("holding", "right_hand"), at(12)).truth is None


@pytest.mark.slow
def test_tiago_says_that_its_efforts_are_no_torques(tmp_path: Path) -> None:
    example("tiago_description")
    summary = followed(tmp_path, data("tiago_ident_mcap"), "tiago", duration=2.5)
    (effort,) = (row for row in summary.coverage if row["claim"] == "effort")
    assert (effort["checked"], effort["why"]) == (False, "the efforts are no torques")


def test_the_kuka_without_its_meshes_is_unchecked(tmp_path: Path) -> None:
    recording = data("kuka_lwr_mcap")
    summary = followed(tmp_path, recording, recording / "lwr.urdf", duration=1.0)
    assert summary.verdict == "unchecked"
    (touch,) = (row for row in summary.coverage if row["claim"] == "touch")
    assert not touch["checked"]
    assert touch["why"].startswith("no collision shapes")
