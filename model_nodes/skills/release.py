"""The skill `release`: a hand puts what it holds on or into something, lets go, and comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.quaternions import axangle2quat, quat2mat

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.poses import multiply
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.in_turn import in_turn
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory
from model_nodes.robot_program.placing import seen_from, within
from model_nodes.skills.arguments import entity_of, hand_of, speed_of
from model_nodes.skills.rests import Rest, rests
from model_nodes.skills.scene import SkillScene
from model_nodes.skills.ways import LINE_SPEED, first_possible, free_way

_TURNS = 12
"""So many turns of the hand about the vertical are tried."""
_BACK = (0.1, 0.35)
"""How far the hand comes from, and goes back: off a surface, and out of something with a roof [m]."""
_DROP = 2e-3
"""Above what it is put on, beyond the clearance, a thing is let go [m]."""


@dataclass(frozen=True, slots=True)
class _Put:
    """The hand's poses when it lets go and where it comes from, (7) in the world."""

    at: tuple[float, ...]
    before: tuple[float, ...]


def release(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion that puts the held object somewhere, opens the fingers and brings the hand back.

    Arguments: ``hand``; ``into``: the entity into or onto which the object is put, upright as it is held; without it
    the hand lets go where it is; ``at``: x y z in that entity's frame [m] where its lowest point is to be, else a
    free place is looked for, inside before on top; ``speed``: share of the joints' largest velocities (0.5).

    Raises:
        ValueError: if an argument cannot be used, or the hand holds nothing.
        CannotReach: if the hand cannot put it there.
    """
    hand, speed = hand_of(scene, arguments), speed_of(arguments)
    what = scene.held(hand)
    if what is None:
        raise ValueError(f"there is nothing in {hand}; expected an object that it holds")
    opened = scene.fingers(hand, "open")
    if arguments.get("into") is None:
        opening = scene.to_positions(opened, speed=speed)
        return in_turn([opening, _away(scene, hand, _BACK[0])])

    def put(one: _Put) -> list[JointTrajectory]:
        with scene.attempt():
            way = free_way(scene, hand, one.before, speed, then=one.at)
            there = scene.hand_to(hand, one.at, straight=True, speed=LINE_SPEED)
            opening = scene.to_positions(opened, speed=speed)
            back = scene.hand_to(hand, one.before, straight=True, speed=LINE_SPEED)
        return [*way, there, opening, back]

    into = entity_of(scene, arguments, "into")
    places = rests(scene, into, what, arguments.get("at"), scene.clearance + _DROP)
    return in_turn(
        first_possible(
            f"{hand} cannot put {what} into {into}", put, _puts(scene, hand, what, places)
        )
    )


def _away(scene: SkillScene, hand: str, by: float) -> JointTrajectory:
    here = scene.hand_pose(hand)
    way = quat2mat(np.array(here[3:])) @ scene.hand_shape(hand).approach
    back = (*(np.array(here[:3]) - by * way).tolist(), *here[3:])
    return scene.hand_to(hand, back, straight=True, speed=LINE_SPEED)


def _puts(scene: SkillScene, hand: str, what: str, places: Sequence[Rest]) -> Iterator[_Put]:
    """Yield the poses of the hand for each place, turned about the vertical by little before by much."""
    here = scene.hand_pose(hand)
    held, in_hand = scene.pose(what), seen_from(here, scene.pose(what))
    approach = scene.hand_shape(hand).approach
    turns = sorted(
        (2.0 * np.pi * i / _TURNS for i in range(_TURNS)), key=lambda a: min(a, 2 * np.pi - a)
    )
    for place in places:
        for turn in turns:
            rotation = multiply(axangle2quat([0, 0, 1], turn).tolist(), held[3:])
            target = (*place.origin(rotation), *rotation)
            at = within(target, seen_from(in_hand, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
            yield _Put(at, _before(at, approach, covered=place.covered))


def _before(at: tuple[float, ...], approach: Floats, *, covered: bool) -> tuple[float, ...]:
    """Where the hand comes from: from above, or horizontally if there is a roof."""
    up = np.array([0.0, 0.0, 1.0])
    if covered:
        way = quat2mat(np.array(at[3:])) @ approach
        way[2] = 0.0
        length = float(np.linalg.norm(way))
        up = -way / length * (_BACK[1] / _BACK[0]) if length > 1e-3 else up
    return (*(np.array(at[:3]) + _BACK[0] * up).tolist(), *at[3:])
