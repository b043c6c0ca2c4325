"""Facts about a robot from its description."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from hetwin_programs.program.facts import HandFacts, JointFacts, RobotFacts
from hetwin_suite.engine import Base, Body, Joint
from hetwin_suite.robot import segments_to
from hetwin_suite.source import Functions, NamedHand

_DEFAULT_MAX_VELOCITY = 1.0
"""Maximum velocity of a joint for which the URDF has none [rad/s or m/s]."""


def movable(robot: Body) -> list[Joint]:
    """Return the joints that a program may move: driven joints that do not mimic another one."""
    return [joint for joint in robot.driven_joints if joint.mimic is None]


def robot_facts(
    robot: Body,
    hands: Mapping[str, NamedHand],
    resting: Mapping[str, float],
    scope: str = "",
    functions: Functions | None = None,
) -> RobotFacts:
    """Return the facts about its robot that a program gets.

    Args:
        robot: description of the robot.
        hands: hands of this robot, by name.
        resting: initial positions of its joints, by name [rad or m].
        scope: prefix of the ids of its tasks.
        functions: functional attributes of entities.
    """
    return RobotFacts(
        robot.name,
        {joint.name: _joint(joint, resting) for joint in movable(robot)},
        {name: _hand(hand) for name, hand in hands.items()},
        {link.name: tuple(segments_to(robot, link.name)) for link in robot.links},
        robot.pose,
        robot.base is Base.FOLLOWED,
        scope=scope,
        functions=functions or {},
    )


def _joint(joint: Joint, resting: Mapping[str, float]) -> JointFacts:
    return JointFacts(
        resting.get(joint.name, joint.resting),
        -inf if joint.lower is None else joint.lower,
        inf if joint.upper is None else joint.upper,
        joint.max_velocity or _DEFAULT_MAX_VELOCITY,
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
