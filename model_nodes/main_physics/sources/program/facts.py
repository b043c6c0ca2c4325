"""What a robot's program is told about its robot at the start."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from model_nodes.main_physics.settings import NamedHand
from model_nodes.main_physics.world.chains import segments_to
from model_nodes.main_physics.world.description import Body, Joint
from model_nodes.main_physics.world.drives import Base
from model_nodes.robot_program.facts import HandFacts, JointFacts, RobotFacts

_SPEED = 1.0
"""Largest velocity of a joint whose URDF gives none [rad/s or m/s]."""


def movable(robot: Body) -> list[Joint]:
    """Return the joints that a program may move: those that are driven, and mimic no other one."""
    return [joint for joint in robot.driven_joints if joint.mimic is None]


def robot_facts(
    robot: Body, hands: Mapping[str, NamedHand], resting: Mapping[str, float], scope: str = ""
) -> RobotFacts:
    """Return what a program knows of its robot.

    Args:
        robot: its description.
        hands: of this robot.
        resting: where its joints are at first, by name [rad or m].
        scope: before the ids of its tasks.
    """
    return RobotFacts(
        robot.name,
        {joint.name: _joint(joint, resting) for joint in movable(robot)},
        {name: _hand(hand) for name, hand in hands.items()},
        {link.name: tuple(segments_to(robot, link.name)) for link in robot.links},
        robot.pose,
        robot.base is Base.FOLLOWED,
        scope=scope,
    )


def _joint(joint: Joint, resting: Mapping[str, float]) -> JointFacts:
    return JointFacts(
        resting.get(joint.name, joint.resting),
        -inf if joint.lower is None else joint.lower,
        inf if joint.upper is None else joint.upper,
        joint.max_velocity or _SPEED,
    )


def _hand(hand: NamedHand) -> HandFacts:
    return HandFacts(
        hand.link,
        tuple(hand.offset),
        tuple(hand.joints),
        tuple(hand.opened),
        tuple(hand.closed),
        tuple(hand.approach or ()),
    )
