"""What a gripper says of itself stands beside what the twin believes, and is a concern where that contradicts it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.action_messages import EXECUTING, SUCCEEDED, goals, gripper, robotiq
from support.hetwin_command import hetwin
from support.lifted_block import HALF, kept, make_twin, replay, write_recording
from support.recorded_bags import MS, Recorded, joints, write_bag
from support.robot_files import TABLETOP_ARM

from hetwin_suite import Summary, run
from hetwin_suite.episode import open_episode

FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
ACTION = "/gripper/gripper_cmd"
OPEN = 0.04


def followed(
    tmp_path: Path, to: float, said: Sequence[Recorded], topic: str = f"{ACTION}/_action/feedback"
) -> Summary:
    """A run of a twin, as `hetwin new` writes it, in which both fingers close to a position within 1 s."""
    messages = [*said]
    for tick in range(126):
        finger = float(np.interp(tick * 0.02, [0.5, 1.0], [OPEN, to]))
        effort = -20.0 if tick >= 50 else -0.5
        messages.append(joints(tick * 20 * MS, FINGERS, [finger] * 2, efforts=[effort] * 2))
    bag = write_bag(tmp_path / "bag", sorted(messages, key=lambda one: one.time_ns))
    made = hetwin("new", bag, "--robot", TABLETOP_ARM, "--out", tmp_path / "twin")
    assert made.code == 0, made.err
    (scenario,) = (tmp_path / "twin").glob("*.yaml")
    text = scenario.read_text(encoding="utf-8")
    assert topic in text
    return run(scenario, out=tmp_path / "run")


def spoken(summary: Summary) -> list[dict[str, Any]]:
    """Concerns about what a gripper says."""
    return [c for c in summary.concerns if c["name"] == "stalled_on_nothing"]


def stall(position: float) -> list[Recorded]:
    """A goal from 0.5 s on, at the end of which the gripper says that it stalled."""
    return [
        goals(500 * MS, ACTION, {1: EXECUTING}),
        gripper(700 * MS, ACTION, 0.03),
        gripper(1200 * MS, ACTION, position, stalled=True),
        goals(1300 * MS, ACTION, {1: SUCCEEDED}),
    ]


def test_a_stall_where_the_twins_fingers_stopped_short_too_is_no_concern(tmp_path: Path) -> None:
    summary = followed(tmp_path, 0.0249, stall(0.0249))
    assert not spoken(summary)
    events = {event["name"]: event for event in summary.events}
    said = events["gripper_says"]["arguments"]
    assert (said["stalled"], said["position"]) == (True, 0.0249)
    assert "closed_on_something" in events
    (goal,) = (
        a for a in open_episode(tmp_path / "run").annotations if a.operation == "gripper_cmd"
    )
    assert (goal.begin_ns, goal.end_ns) == (500 * MS, 1300 * MS)


def test_a_stall_where_the_twins_fingers_closed_on_nothing_is_a_concern(tmp_path: Path) -> None:
    summary = followed(tmp_path, 0.0, stall(0.0249))
    (concern,) = spoken(summary)
    assert concern["text"] == (
        f"{ACTION} says that it stalled at 0.0249 m, but gripper of the twin neither holds anything"
        " nor stopped short"
    )
    assert concern["from"] == pytest.approx(1.2)
    assert summary.verdict == "doubtful"
    (grip,) = (row for row in summary.coverage if row["claim"] == "grip")
    assert grip["holds"] is False


@pytest.mark.parametrize("position", [HALF, 0.0])
def test_a_gripper_that_is_closed_while_the_twin_holds_the_block(
    tmp_path: Path, position: float
) -> None:
    """A stall on the block is what the twin sees, too; that the fingers are closed contradicts it."""
    stalls = gripper(2100 * MS, ACTION, HALF, stalled=True)
    at_goal = gripper(5000 * MS, ACTION, position, reached=True, goal=2)
    recording = write_recording(tmp_path / "bag", kept, also=[stalls, at_goal])
    replay(make_twin(tmp_path, recording), recording, tmp_path / "run")
    found = json.loads((tmp_path / "run" / "summary.json").read_text("utf-8"))
    texts = [c["text"] for c in found["concerns"] if c["severity"] != "note"]
    said = f"{ACTION} says that it reached its goal at 0 m, but hand of the twin holds box"
    assert texts == ([said] if position == 0.0 else [])


def test_a_robotiq_gripper_that_feels_an_object_where_the_twin_has_none(tmp_path: Path) -> None:
    said = [robotiq(900 * MS, 0), robotiq(1200 * MS, 2)]
    (concern,) = spoken(followed(tmp_path, 0.0, said, "/gripper/status"))
    assert concern["arguments"]["gripper"] == "/gripper/status"
    assert concern["from"] == pytest.approx(1.2)
