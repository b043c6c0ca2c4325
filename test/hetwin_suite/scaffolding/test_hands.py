"""Hands and fingers of robots as their makers describe them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.robot_files import ROOT, example

from hetwin_suite.scaffolding.hands import FoundHand, find_hands
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.urdf.reader import read_urdf


def hands_of(file: Path) -> dict[str, FoundHand]:
    return {hand.name: hand for hand in find_hands(read_urdf(file, Notes()), {})}


def test_a_gripper_with_two_sliding_fingers() -> None:
    (hand,) = hands_of(ROOT / "urdf" / "tabletop_arm.urdf").values()
    assert (hand.name, hand.link) == ("gripper", "gripper_base")
    assert hand.joints == ("gripper_left_finger_joint", "gripper_right_finger_joint")
    assert hand.opened == (0.04, 0.04)
    assert hand.closed == (0.0, 0.0)
    assert hand.offset == pytest.approx((0, 0, 0.12), abs=0.03)


def test_a_finger_that_follows_another_is_opened_with_it() -> None:
    hands = hands_of(example("baxter_description/urdf/baxter.urdf"))
    assert set(hands) == {"right_hand", "left_hand"}
    right = hands["right_hand"]
    assert right.joints == ("r_gripper_l_finger_joint", "r_gripper_r_finger_joint")
    assert right.opened == (0.020833, -0.020833)
    assert right.closed == (0.0, 0.0)


def test_hands_with_four_fingers_of_three_joints() -> None:
    hands = hands_of(ROOT / "urdf" / "two_hand_robot.urdf")
    assert {hand.link for hand in hands.values()} == {"right_hand_palm", "left_hand_palm"}
    assert all(len(hand.joints) == 12 for hand in hands.values())
    right = hands["right_hand"]
    assert right.offset == pytest.approx((0, 0, 0.18), abs=0.04)
    assert right.opened[:3] == (-0.7, 0.0, 0.0)


@pytest.mark.parametrize(
    ("file", "links"),
    [
        ("panda_description/urdf/panda.urdf", ["panda_hand"]),
        ("pr2_description/urdf/pr2.urdf", ["r_gripper_palm_link", "l_gripper_palm_link"]),
        ("tiago_description/robots/tiago.urdf", ["hand_palm_link"]),
        ("so_arm_description/urdf/so101.urdf", ["gripper_link"]),
        ("z1_description/urdf/z1.urdf", ["gripperStator"]),
        ("allegro_hand_description/urdf/allegro_right_hand.urdf", ["palm_link"]),
    ],
)
def test_hands_of_other_makers(file: str, links: list[str]) -> None:
    assert [hand.link for hand in hands_of(example(file)).values()] == links


@pytest.mark.parametrize(
    "file",
    [
        "ur_description/urdf/ur5_robot.urdf",
        "tiago_description/robots/tiago_no_hand.urdf",
        "xarm_description/urdf/xarm7.urdf",
        "icub_description/robots/icub_reduced.urdf",
        "go2_description/urdf/go2.urdf",
        "iris_description/robots/iris.urdf",
    ],
)
def test_arms_heads_legs_and_propellers_are_no_hands(file: str) -> None:
    assert hands_of(example(file)) == {}


def test_names_are_not_those_of_links() -> None:
    for file in (ROOT / "urdf").glob("*.urdf"):
        body = read_urdf(file, Notes())
        names = [hand.name for hand in find_hands(body, {})]
        assert len(set(names)) == len(names)
        assert {link.name for link in body.links}.isdisjoint(names)
