"""The shipped skills make motions of arguments, and say what they cannot use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.robot_files import TABLETOP_ARM

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.scene.values import Floats
from hetwin_programs.program.messages import CannotReach
from hetwin_programs.program.robot_facts import robot_facts
from hetwin_programs.skills.arguments import skill_names, skill_of
from hetwin_programs.skills.scene import SkillScene
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

FINGERS = ("gripper_left_finger_joint", "gripper_right_finger_joint")
BENT = {"shoulder_lift_joint": -0.1, "elbow_joint": 1.6, "wrist_pitch_joint": 1.64159}


def scene() -> SkillScene:
    robot = read_urdf(TABLETOP_ARM, Notes(), resources=Resources(TABLETOP_ARM.parent))
    hand = NamedHand(
        name="gripper",
        link="gripper_base",
        offset=[0, 0, 0.12, 1, 0, 0, 0],
        joints=list(FINGERS),
        opened=[0.04, 0.04],
        closed=[0, 0],
    )
    places = {
        robot.name: np.array([1.0, 0, 0, 1, 0, 0, 0]),
        "box": np.array([1.5, 0.1, 0.8, 1, 0, 0, 0]),
    }

    def pose_of(entity: str) -> Floats:
        return places[entity]

    joints = {joint.name: BENT.get(joint.name, 0.02) for joint in robot.driven_joints}
    return SkillScene(robot_facts(robot, {"gripper": hand}, joints), joints, pose_of, 3.0)


def moved(name: str, **arguments: Any) -> dict[str, float]:
    motion = skill_of(name)(scene(), arguments)
    assert not motion.ends_in_motion
    return dict(zip(motion.names, motion.positions[-1].tolist(), strict=True))


def test_three_skills_are_shipped() -> None:
    assert {"hold", "move", "move_hand"} <= set(skill_names())


def test_a_hand_opens_closes_and_goes_to_a_position() -> None:
    for goal, at in (("open", 0.04), ("closed", 0.0), (0.03, 0.03)):
        assert moved("move_hand", hand="gripper", goal=goal) == dict.fromkeys(FINGERS, at)
    motion = skill_of("move_hand")(scene(), {"goal": "open", "seconds": 2.0})
    assert motion.duration == pytest.approx(2.0)


def test_a_hand_goes_to_something_seen_from_the_world() -> None:
    one = scene()
    turn = one.hand_pose("gripper")[3:]
    for arguments in ({"to": "box", "offset": [0, 0, 0.3]}, {"to": [1.5, 0.1, 1.1]}):
        motion = skill_of("move")(one, {"hand": "gripper", **arguments})
        there = scene()
        there.joints.update(zip(motion.names, motion.positions[-1].tolist(), strict=True))
        pose = SkillScene(there._facts, there.joints, there._pose_of, 0.0).hand_pose("gripper")
        assert pose == pytest.approx((1.5, 0.1, 1.1, *turn), abs=1e-4)


def test_a_hand_goes_straight_and_joints_go_to_positions() -> None:
    one = scene()
    motion = skill_of("move")(one, {"to": [1.5, 0.1, 1.1], "straight": True, "seconds": 1.0})
    assert motion.duration == pytest.approx(1.0)
    assert moved("move", joints={"elbow_joint": 1.0}) == {"elbow_joint": 1.0}


def test_all_joints_rest() -> None:
    motion = skill_of("hold")(scene(), {"seconds": 0.5})
    assert motion.duration == 0.5
    assert set(FINGERS) < set(motion.names)
    assert (motion.positions[0] == motion.positions[1]).all()


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        (
            "move_hand",
            {"hand": "left", "goal": "open"},
            "hand: found left; expected one of gripper",
        ),
        ("move_hand", {}, "goal: found None; expected open, closed or a position"),
        ("move_hand", {"goal": "ajar"}, "unknown goal ajar"),
        ("move_hand", {"goal": "open", "speed": 0}, "speed: found 0; expected a number above 0"),
        ("move", {}, "to: found nothing"),
        ("move", {"to": [1.0, 2.0]}, r"to: found \[1.0, 2.0\]; expected 3 or 7 numbers"),
        ("move", {"to": "cup"}, "the scene has no cup"),
        ("move", {"to": "box", "offset": [0, "up", 0]}, "offset: found"),
        ("move", {"joints": {"knee": 1.0}}, "no joint knee"),
        ("hold", {"seconds": -1.0}, "seconds: found -1.0"),
    ],
)
def test_arguments_that_cannot_be_used_are_named(
    name: str, arguments: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        skill_of(name)(scene(), arguments)


def test_what_is_out_of_reach_is_said() -> None:
    with pytest.raises(CannotReach, match="gripper cannot be at"):
        skill_of("move")(scene(), {"to": [9.0, 0.0, 0.0]})


def test_a_skill_that_is_not_there_is_named() -> None:
    with pytest.raises(BadInput, match="found 'mov'; expected"):
        skill_of("mov")
