"""The benchmark of other makers' robots sees which side of a hand is open by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from robots_of_others import Robot, is_right, markdown, measure
from support.robot_files import example

from hetwin_suite.scaffolding.hands import hands_of_file


@pytest.mark.parametrize(
    "file",
    [
        "so_arm_description/urdf/so100.urdf",
        "z1_description/urdf/z1.urdf",
        "panda_description/urdf/panda.urdf",
        "talos_data/robots/talos_full_v2.urdf",
        "allegro_hand_description/urdf/allegro_right_hand.urdf",
    ],
)
def test_hands_are_open_where_their_tips_are_apart(file: str) -> None:
    robot = Robot(example(file))
    hands, _ = hands_of_file(example(file))
    assert hands
    for hand in hands:
        opened, closed = robot.room(hand, hand.opened), robot.room(hand, hand.closed)
        assert opened is not None
        assert closed is not None
        assert opened > closed + 0.02
        turned = replace(hand, opened=hand.closed, closed=hand.opened)
        assert robot.room(turned, turned.opened) == closed


def test_a_robot_is_run_and_its_row_is_in_the_table() -> None:
    file = example("so_arm_description/urdf/so100.urdf")
    row = measure(file.parents[2], file)
    assert row["verdict"] is not None
    (hand,) = row["hands"]
    assert is_right(hand)
    assert "| so100 (" in markdown([row])


def test_a_robot_without_a_hand_says_why() -> None:
    file = example("kinova_description/robots/kinova.urdf")
    hands, why = hands_of_file(file)
    assert hands == []
    assert "no joint moves j2s6s200_link_finger_1" in why
