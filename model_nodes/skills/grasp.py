"""The skill `grasp`: the second stage, straight to the object, where the fingers close (Jiang et al., section IV.B)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.events import Json
from hetwin_core.kinematics.trajectories.in_turn import in_turn
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.skills.arguments import entity_of, hand_of, number, speed_of
from model_nodes.skills.candidates import SIDE, TOP, Candidate, candidates
from model_nodes.skills.scene import SkillScene
from model_nodes.skills.ways import LINE_SPEED, first_possible, refuse

_HOLD_S = 0.3
"""The fingers press for so long before the hand moves again [s]."""


def grasp(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion straight to the object, with the hand turned as it is as far as possible, and of the fingers.

    Arguments: ``hand``; ``object``: an entity; ``from``: side or top; ``speed``: share of the fingers' largest
    velocities (0.5); ``lift``: how far the hand then goes up (0 m).

    Raises:
        ValueError: if an argument cannot be used, or the object does not fit into the hand.
        CannotReach: if the hand cannot go there from where it is.
    """
    hand, what = hand_of(scene, arguments), entity_of(scene, arguments, "object")
    lift = number(arguments, "lift", 0.0, least=-1e-9) or 0.0
    closed = scene.fingers(hand, "closed")
    found = sorted(grasps(scene, hand, what, arguments), key=lambda one: one.turn)

    def straight(candidate: Candidate) -> list[JointTrajectory]:
        with scene.attempt():
            there = scene.hand_to(hand, candidate.pose, straight=True, speed=LINE_SPEED)
            refuse(scene.in_the_way([there], touches=[what]), f"the straight way of {hand}")
            closing = scene.to_positions(closed, speed=speed_of(arguments))
            if not lift:
                return [there, closing]
            return [there, closing, _pause(closed), scene.hand_up(hand, lift, speed=LINE_SPEED)]

    return in_turn(
        first_possible(
            f"{hand} cannot go straight to {what} from where it is",
            straight,
            found,
        )
    )


def _pause(fingers: Mapping[str, float]) -> JointTrajectory:
    positions = np.array([list(fingers.values())] * 2)
    return JointTrajectory(tuple(fingers), np.array([0.0, _HOLD_S]), positions)


def grasps(
    scene: SkillScene, hand: str, what: str, arguments: Mapping[str, Json]
) -> list[Candidate]:
    """Return in which poses a hand can grasp an entity, the most natural first.

    Raises:
        ValueError: if it does not fit into the hand, or the argument ``from`` is neither side nor top.
    """
    sides = arguments.get("from")
    if sides is not None and sides not in (SIDE, TOP):
        raise ValueError(f"from: found {sides}; expected {SIDE} or {TOP}")
    axes = quat2mat(np.array(scene.pose(what)[3:]))
    axis = max(axes[:, 0], axes[:, 1], key=lambda one: float(np.hypot(one[0], one[1])))
    try:
        return candidates(
            scene.points(what), axis, scene.hand_shape(hand), scene.hand_pose(hand), sides
        )
    except ValueError as error:
        raise ValueError(f"{hand} cannot grasp {what}: {error}") from None
