"""The episode in which an arm tells its tasks and beliefs while it sets a table."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.highlevel import AnyReader

from hetwin_core.ensemble.beliefs import PERCEPT, belief_fields, belief_problem
from hetwin_core.ensemble.events import Event, EventKind
from hetwin_core.ensemble.scenario.scenario import find_scenario, load_scenario
from hetwin_core.ensemble.tasks import task_fields
from hetwin_tables import setting_table
from model_nodes.main_physics.sources.factory import open_source

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "examples" / "hetwin_tables" / "scenarios" / "episodes" / "setting_the_table"


@pytest.fixture(scope="module")
def told() -> list[Event]:
    """All that the shipped recording tells."""
    source = load_scenario(find_scenario("setting_the_table")).file.source
    assert source is not None
    assert not isinstance(source, str)
    spec = source.model_dump(mode="json", exclude_unset=True)
    opened = open_source({**spec, "recording": str(SHIPPED)})
    try:
        return opened.events(30_000_000_000)
    finally:
        opened.close()


def test_tasks_form_a_tree_in_their_order(told: list[Event]) -> None:
    tasks = [task_fields(event) for event in told if event.kind is EventKind.TASK]
    ends = {task.id: task.status for task in tasks if task.status != "active"}
    assert ends == {
        "pick_up.1": "failed",
        "look.1": "done",
        "pick_up.2": "done",
        "carry.1": "done",
        "place.1": "done",
        "retreat.1": "done",
        "set_table.1": "done",
    }
    parents = {task.id: task.parent for task in tasks}
    assert parents.pop("set_table.1") == ""
    assert set(parents.values()) == {"set_table.1"}
    order = [task.id for task in tasks]
    for task in tasks:
        assert all(order.index(task.id) > order.index(before) for before in task.after)
    (failed,) = [task for task in tasks if task.status == "failed"]
    assert failed.reason == "nothing between the fingers"


def test_beliefs_can_be_used_and_one_cup_is_overlooked(told: list[Event]) -> None:
    beliefs = [event for event in told if event.kind is EventKind.BELIEF]
    assert not any(map(belief_problem, beliefs))
    fields = [belief_fields(event) for event in beliefs]
    assert {f.arguments[0] for f in fields if f.origin == PERCEPT} == {"cup1"}
    assert {f.frame for f in fields if f.fluent == "loc"} == {"world", "gripper_base"}
    first = next(f for f in fields if f.origin == "/believed/cup1")
    assert np.linalg.norm(np.array(first.pose[:3]) - [0.42, 0.28, 0.88]) == pytest.approx(0.1)


def _messages(recording: Path) -> list[tuple[str, str, int, bytes, Any]]:
    """Topic, type, stamp in ns, bytes and message of all that ``recording`` holds."""
    with AnyReader([recording]) as reader:
        return [
            (sent.topic, sent.msgtype, stamp, bytes(raw), reader.deserialize(raw, sent.msgtype))
            for sent, stamp, raw in reader.messages()
        ]


@pytest.mark.long
def test_the_shipped_episode_is_what_is_recorded(tmp_path: Path) -> None:
    """Joint positions come from a numerical search, which ends up to 1e-4 rad away with other versions of libraries."""
    setting_table.main(["--out", str(tmp_path / "setting_the_table")])
    recorded, shipped = _messages(tmp_path / "setting_the_table"), _messages(SHIPPED)
    assert [message[:3] for message in recorded] == [message[:3] for message in shipped]
    for (topic, kind, stamp, raw, message), (*_, expected_raw, expected) in zip(
        recorded, shipped, strict=True
    ):
        where = f"{topic} at {stamp} ns"
        if kind == "sensor_msgs/msg/JointState":
            assert message.name == expected.name, where
            np.testing.assert_allclose(message.position, expected.position, 0, 2e-4, err_msg=where)
        elif kind == "geometry_msgs/msg/PoseStamped":
            assert astuple(message.header) == astuple(expected.header), where
            np.testing.assert_allclose(
                _numbers(message.pose), _numbers(expected.pose), 0, 2e-4, err_msg=where
            )
        else:
            assert raw == expected_raw, where


def _numbers(pose: Any) -> list[float]:
    """Position [m] and orientation (x, y, z, w) of a ``Pose``."""
    place, turn = pose.position, pose.orientation
    return [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w]
