"""Which topics move the robot if the scenario names none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from support.recorded_bags import MS, Recorded, joints, write_bag

from hetwin_core.ensemble.errors import BadInput
from model_nodes.main_physics.sources.factory import open_source
from model_nodes.main_physics.sources.joint_table import choose_topics
from model_nodes.main_physics.sources.plan import Plan
from model_nodes.main_physics.world.description import Body, Joint, JointKind, Link

ROBOT = Body(
    "robot",
    tuple(Link(name) for name in ("base", "upper", "fore", "finger_link")),
    (
        Joint("shoulder", JointKind.HINGE, "base", "upper", lower=-3.0, upper=3.0),
        Joint("elbow", JointKind.HINGE, "upper", "fore", lower=-3.0, upper=3.0),
        Joint("finger", JointKind.SLIDE, "fore", "finger_link", lower=0.0, upper=0.1),
    ),
    robot=True,
)


def states(topic: str, names: Sequence[str], value: float) -> list[Recorded]:
    return [joints(k * 20 * MS, names, [value] * len(names), topic=topic) for k in range(50)]


def opened(folder: Path, *streams: Sequence[Recorded]) -> Plan:
    messages = sorted((m for stream in streams for m in stream), key=lambda m: m.time_ns)
    source = open_source(write_bag(folder / "bag", messages), robots=[ROBOT])
    source.bind(["shoulder", "elbow", "finger"], 20 * MS)
    return source


def test_the_only_one_is_taken_whatever_its_name(tmp_path: Path) -> None:
    source = opened(tmp_path, states("/left/arm", ["shoulder", "elbow"], 0.3))
    assert source.motion(0).positions.tolist() == [0.3, 0.3, 0.0]
    assert source.notes[0] == "the joint states are those of /left/arm"


def test_joints_on_several_topics_are_merged(tmp_path: Path) -> None:
    source = opened(
        tmp_path,
        states("/arm", ["shoulder", "elbow"], 0.3),
        states("/gripper", ["finger"], 0.02),
        states("/base/wheels", ["left_wheel", "right_wheel"], 5.0),
        states("/arm/desired", ["shoulder", "elbow"], 0.9),
    )
    assert source.motion(0).positions.tolist() == [0.3, 0.3, 0.02]
    assert source.notes[0].startswith("the joint states are those of /arm, /gripper; no further")
    assert "/base/wheels" in source.notes[0]
    assert source.findings == ()


def test_the_usual_one_comes_first(tmp_path: Path) -> None:
    source = opened(
        tmp_path,
        states("/joint_states", ["shoulder"], 0.1),
        states("/arm", ["shoulder", "elbow"], 0.1),
    )
    assert source.notes[0] == "the joint states are those of /joint_states, /arm"
    assert source.motion(0).positions.tolist() == [0.1, 0.1, 0.0]


def test_commands_move_the_robot_only_if_there_is_nothing_else(tmp_path: Path) -> None:
    source = opened(tmp_path, states("/arm/command", ["shoulder", "elbow"], 0.9))
    assert source.motion(0).positions.tolist() == [0.9, 0.9, 0.0]


def test_what_is_wrong_with_other_topics_does_not_matter(tmp_path: Path) -> None:
    bad = states("/wheels", ["left_wheel"], float("nan"))
    short = [replace(m, topic="/other") for m in states("/other", ["x", "y"], 0.0)]
    short[3] = joints(60 * MS, ["x", "y"], [0.0], topic="/other")
    source = opened(tmp_path, states("/arm", ["shoulder"], 0.3), bad, short)
    assert source.motion(0).positions[0] == 0.3


def test_what_is_wrong_with_the_taken_ones_does(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="are not numbers"):
        opened(
            tmp_path,
            states("/arm", ["shoulder"], float("nan")),
            states("/wheels", ["left_wheel"], 0.0),
        )


@pytest.mark.parametrize(
    ("topics", "wanted", "chosen"),
    [
        ({"/a": "xy", "/b": "xyz", "/c": "w"}, None, ["/b", "/c"]),
        ({"/a": "xy", "/b": "xyz", "/c": "w"}, "xy", ["/a"]),
        ({"/joint_states": "x", "/b": "xyz"}, "xyz", ["/joint_states", "/b"]),
        ({"/joint_states": "q", "/b": "xyz"}, "xyz", ["/b"]),
        ({"/a_cmd": "xyz", "/b": "x"}, "xyz", ["/b"]),
        ({"/a_cmd": "xyz"}, "xyz", ["/a_cmd"]),
        ({"/a": "xy"}, "q", []),
        ({}, None, []),
    ],
)
def test_as_few_topics_as_hold_all_joints(
    topics: dict[str, str], wanted: str | None, chosen: list[str]
) -> None:
    assert choose_topics(topics, wanted) == chosen
