"""The two stages of a grasp: by the object's shape, on a free way, and held in the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.robot_files import ROOT, example
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.layout import Entity, EntityKind
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from hetwin_programs.program.facts import RobotFacts
from hetwin_programs.program.messages import CannotReach
from hetwin_programs.program.robot_facts import robot_facts
from hetwin_programs.skills.arguments import skill_of
from hetwin_programs.skills.grasp import candidates
from hetwin_programs.skills.hand_shape import HandShape, hand_shape
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.scaffolding.hands import find_hands
from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.world.description import World
from model_nodes.main_physics.world.entities import entities_of
from model_nodes.main_physics.world.notes import Notes
from model_nodes.main_physics.world.resources import Resources
from model_nodes.main_physics.world.urdf.reader import read_urdf

BENT = {"shoulder_lift_joint": -0.1, "elbow_joint": 1.6, "wrist_pitch_joint": 1.64159}
TABLE = Shape(ShapeKind.BOX, (0.76, 1.1, 0.04), (0, 0, -0.02, 1, 0, 0, 0))
BOX = Shape(ShapeKind.BOX, (0.05, 0.05, 0.05))
CUP = Shape(ShapeKind.CYLINDER, (0.03, 0.12))


def scene(thing: Shape, place: tuple[float, float, float], more: Any = ()) -> SkillScene:
    """The tabletop arm, and a thing on the table whose top is at 0.75 m."""
    urdf = ROOT / "urdf" / "tabletop_arm.urdf"
    robot = read_urdf(urdf, Notes(), resources=Resources(urdf.parent))
    hand = NamedHand(
        name="gripper",
        link="gripper_base",
        offset=[0, 0, 0.12, 1, 0, 0, 0],
        joints=["gripper_left_finger_joint", "gripper_right_finger_joint"],
        opened=[0.04, 0.04],
        closed=[0, 0],
    )
    things = {"table": (TABLE, (0.58, 0.0, 0.75)), "thing": (thing, place), **dict(more)}
    entities = {e.name: e for e in entities_of(World("w", (robot,)), {})}
    for name, (shape, _) in things.items():
        entities[name] = Entity(name, EntityKind.STATIC, shapes=(shape,))
    places = {name: np.array([*at, 1, 0, 0, 0], np.float64) for name, (_, at) in things.items()}
    places[robot.name] = np.array([0.0, 0, 0, 1, 0, 0, 0])

    def pose_of(entity: str) -> Floats:
        return places[entity]

    joints = {joint.name: BENT.get(joint.name, 0.0) for joint in robot.driven_joints}
    return SkillScene(robot_facts(robot, {"gripper": hand}, joints), joints, pose_of, 0.0, entities)


def after(one: SkillScene, skill: str, **arguments: Any) -> tuple[Floats, Floats]:
    """Where the hand is after a skill, and the direction of its approach, both (3,); the scene is then there."""
    motion = skill_of(skill)(one, arguments)
    assert not motion.ends_in_motion
    assert one.in_the_way([motion], ignored=["thing"]) == ()
    one.joints.update(zip(motion.names, motion.positions[-1].tolist(), strict=True))
    one._motions.commanded.update(one.joints)
    pose = np.array(one.hand_pose("gripper"))
    return pose[:3], quat2mat(pose[3:])[:, 2]


def test_low_things_are_grasped_from_the_top_and_tall_ones_from_the_side() -> None:
    low = scene(BOX, (0.5, 0.1, 0.775))
    place, way = after(low, "approach", object="thing")
    np.testing.assert_allclose(way, [0, 0, -1], atol=1e-4)
    np.testing.assert_allclose(place, [0.5, 0.1, 0.89], atol=1e-4)  # 1.5 cm higher than its middle
    place, _ = after(low, "grasp", object="thing")
    np.testing.assert_allclose(place, [0.5, 0.1, 0.79], atol=1e-4)
    fingers = {low.joints[f"gripper_{side}_finger_joint"] for side in ("left", "right")}
    assert fingers == {0.0}
    tall = scene(CUP, (0.5, 0.1, 0.85))
    place, way = after(tall, "approach", object="thing", margin=0.05)
    assert way[2] > -0.6
    np.testing.assert_allclose(place + 0.05 * way, [0.5, 0.1, 0.85], atol=1e-4)


def test_a_grasp_lifts_if_it_is_asked_to() -> None:
    one = scene(BOX, (0.5, 0.1, 0.775))
    after(one, "approach", object="thing")
    place, _ = after(one, "grasp", object="thing", lift=0.1)
    np.testing.assert_allclose(place, [0.5, 0.1, 0.89], atol=1e-4)


def test_the_way_goes_round_what_stands_in_it() -> None:
    wall = Shape(ShapeKind.BOX, (0.02, 0.5, 0.1))
    one = scene(BOX, (0.62, 0.1, 0.775), {"wall": (wall, (0.5, 0.1, 0.8))})
    after(one, "approach", object="thing")  # which asserts that nothing is touched


def test_what_cannot_be_grasped_is_said() -> None:
    with pytest.raises(ValueError, match=r"gripper cannot grasp thing: it is 0.200 m wide"):
        after(
            scene(Shape(ShapeKind.BOX, (0.2, 0.2, 0.06)), (0.5, 0, 0.775)),
            "approach",
            object="thing",
        )
    with pytest.raises(CannotReach, match="gripper cannot approach thing in any of"):
        after(scene(BOX, (3.0, 0, 0.775)), "approach", object="thing")
    lid = Shape(ShapeKind.BOX, (0.3, 0.3, 0.02))
    front = Shape(ShapeKind.BOX, (0.02, 0.3, 0.1))
    covered = {"lid": (lid, (0.5, 0, 0.86)), "front": (front, (0.4, 0, 0.8))}
    with pytest.raises(CannotReach, match=r"thing in any of .* would touch"):
        after(scene(BOX, (0.5, 0, 0.775), covered), "approach", object="thing")
    for arguments, words in (
        ({}, "object: found None; expected the name of an entity"),
        ({"object": "plate"}, "the scene has no plate"),
        ({"object": "thing", "from": "below"}, "from: found below; expected side or top"),
    ):
        with pytest.raises(ValueError, match=words):
            after(scene(BOX, (0.5, 0, 0.775)), "approach", **arguments)


def test_a_long_thing_is_grasped_across() -> None:
    hand = HandShape(np.array([0.0, 0, 1]), np.array([0.0, 1, 0]), 0.08)
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.02, 0.02) for z in (0, 0.03)])
    turn = np.array([[0.8, -0.6, 0], [0.6, 0.8, 0], [0, 0, 1.0]])
    found = candidates(corners @ turn.T, turn[:, 0], hand, (0, 0, 0.5, 0, 1, 0, 0), None)
    assert found
    for one in found:
        across = quat2mat(np.array(one.pose[3:])) @ hand.closing
        assert abs(across @ turn[:, 1]) == pytest.approx(1.0)


def facts_of(file: str, **more: Any) -> dict[str, RobotFacts]:
    """The facts of a robot of another maker, by each of its hands."""
    robot = read_urdf(example(file), Notes())
    hands = {
        hand.name: NamedHand(
            name=hand.name,
            link=hand.link,
            offset=[*hand.offset, 1, 0, 0, 0],
            joints=list(hand.joints),
            opened=list(hand.opened),
            closed=list(hand.closed),
            **more,
        )
        for hand in find_hands(robot, {})
    }
    return {name: robot_facts(robot, {name: hand}, {}) for name, hand in hands.items()}


@pytest.mark.parametrize(
    ("file", "approach", "opening"),
    [
        ("baxter_description/urdf/baxter.urdf", (0, 0, 1), 0.041666),
        ("panda_description/urdf/panda.urdf", (0, 0, 1), 0.08),
        ("pr2_description/urdf/pr2.urdf", (1, 0, 0), None),
        ("tiago_description/robots/tiago.urdf", (0.672, 0.737, 0.074), None),
    ],
)
def test_hands_of_other_makers_go_to_things_with_their_fingers_first(
    file: str, approach: tuple[float, ...], opening: float | None
) -> None:
    for name, facts in facts_of(file).items():
        shape = hand_shape(facts, name)
        np.testing.assert_allclose(shape.approach, approach, atol=1e-3)
        assert abs(shape.approach @ shape.closing) < 1e-9
        assert shape.opening == (None if opening is None else pytest.approx(opening))


def test_a_scenario_may_say_how_a_hand_goes_to_things() -> None:
    (facts,) = facts_of("tiago_description/robots/tiago.urdf", approach=[0, 2, 0]).values()
    np.testing.assert_allclose(hand_shape(facts, "hand").approach, [0, 1, 0])


@pytest.mark.parametrize("thumb", [0.0, 1.42])
def test_four_fingers_say_where_a_hand_closes_wherever_its_thumb_is(thumb: float) -> None:
    fingers = [f"hand_thumb_{part}_{i}_joint" for part in ("virtual", "flex") for i in (1, 2)]
    for name in ("index", "middle", "ring", "little"):
        fingers += [
            f"hand_{name}_{part}_{i}_joint" for part in ("virtual", "flex") for i in (1, 2, 3)
        ]
    robot = read_urdf(example("tiago_description/robots/tiago.urdf"), Notes())
    hand = NamedHand(
        name="hand",
        link="hand_palm_link",
        offset=[0.135, 0.05, 0, 1, 0, 0, 0],
        approach=[0, 1, 0],
        joints=fingers,
        opened=[0.0] * len(fingers),
        closed=[0.785] * len(fingers),
    )
    shape = hand_shape(robot_facts(robot, {"hand": hand}, {"hand_thumb_abd_joint": thumb}), "hand")
    assert abs(shape.closing[0]) > 0.95  # as they curl; the thumb goes farther, and elsewhere


@pytest.mark.parametrize(("height", "deep"), [(0.81, True), (0.825, False)])
def test_what_is_grasped_may_be_touched_but_not_entered(height: float, deep: bool) -> None:
    one = scene(BOX, (0.4, 0.1, 0.775))
    there = one.hand_to("gripper", [0.4, 0.1, height, 0, 1, 0, 0])  # with closed fingers
    touched = ("gripper_left_finger", "thing")
    assert one.in_the_way([there]) == touched
    assert one.in_the_way([there], touches=["thing"]) == (touched if deep else ())
    assert one.in_the_way([there], ignored=["thing"]) == ()
