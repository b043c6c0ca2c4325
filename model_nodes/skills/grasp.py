"""The skills `approach` and `grasp`: the two stages of a grasp, at the poses that a hand can take (Jiang et al.)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d.quaternions import mat2quat, quat2mat

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.values import Floats
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, in_turn
from model_nodes.skills.arguments import entity_of, hand_of, number, speed_of
from model_nodes.skills.hand_shape import HandShape
from model_nodes.skills.scene import SkillScene
from model_nodes.skills.ways import LINE_SPEED, first_possible, free_way, refuse

SIDE, TOP = "side", "top"
_DIRECTIONS = 18
"""Directions across which a thing is measured, over a half turn."""
_AS_NARROW = 1e-3
"""Tolerance of a local minimum: a direction counts as narrow if the thing is at most this much wider there [m]."""
_TALL = 1.2
"""Things this much higher than wide are grasped from the side."""
_TILTS = {SIDE: (0.0, 30.0), TOP: (90.0, 60.0)}
"""How far the approach is tilted downwards [deg]."""
_DEPTH = 0.03
"""Grasps from the top are at mid-height, but at most this far below the highest point [m]."""
_SPARE = 2e-3
"""Clearance between the thing and the open hand [m]."""
_MOST = 16
"""Candidates of one tilt."""
_RAISED = (0.0, 0.015, 0.03)
"""How much higher than the middle a thing is grasped where the hand would touch its support [m]."""
_INSIDE = 0.004
"""Least depth of a grasp below the highest point [m]."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hand's pose in which it grasps something.

    Attributes:
        pose: (7) x y z [m], qw qx qy qz in the world.
        way: (3,) unit vector in which it comes there, in the world.
        turn: how far the hand turns from where it is [rad].
    """

    pose: tuple[float, ...]
    way: Floats
    turn: float

    def off(self, margin: float) -> tuple[float, ...]:
        """Return the pose that stands off by a margin [m]."""
        return (*(np.array(self.pose[:3]) - margin * self.way).tolist(), *self.pose[3:])

    def raised(self, by: float) -> Candidate:
        """Return the candidate that much higher [m]."""
        x, y, z, *turn = self.pose
        return replace(self, pose=(x, y, z + by, *turn))


def candidates(
    points: Floats, axis: Floats, hand: HandShape, now: Sequence[float], sides: str | None
) -> list[Candidate]:
    """Return in which poses a hand can grasp a thing, the most natural first.

    Tall things are grasped from the side, others from the top, across where they are narrowest.

    Args:
        points: (n, 3) whose convex hull the thing is, in the world [m].
        axis: (3,) along which it may be narrow, in the world.
        hand: its shape.
        now: (7) the hand's pose, in the world.
        sides: ``side`` or ``top``: only from there.

    Raises:
        ValueError: if the thing is wider than the open hand.
    """
    widths = _Widths(points, axis)
    narrow = widths.narrow()
    least = min(width for _, width in narrow)
    if hand.opening is not None:
        narrow = [(a, width) for a, width in narrow if width + _SPARE <= hand.opening]
    if not narrow:
        raise ValueError(
            f"it is {least:.3f} m wide; expected at most {(hand.opening or 0.0) - _SPARE:.3f} m,"
            " which is what the open hand takes"
        )
    height = float(np.ptp(points[:, 2]))
    order = (SIDE, TOP) if height >= _TALL * least else (TOP, SIDE)
    found: list[Candidate] = []
    for side in order if sides is None else (sides,):
        for tilt in _TILTS[side]:
            some = [
                _candidate(points, angle, tilt, hand, now, sign, back)
                for angle, _ in narrow
                for sign in (1.0, -1.0)
                for back in ((False,) if tilt == 90.0 else (False, True))
            ]
            best = sorted(some, key=lambda one: _cost(one, points, now))[:_MOST]
            top = float(points[:, 2].max()) - _INSIDE
            found += [one.raised(by) for by in _RAISED for one in best if one.pose[2] + by <= top]
    return found


class _Widths:
    """How wide a thing is across horizontal directions."""

    def __init__(self, points: Floats, axis: Floats) -> None:
        first = math.atan2(axis[1], axis[0])
        self._angles = first + np.arange(_DIRECTIONS) * math.pi / _DIRECTIONS
        across = np.stack((np.cos(self._angles), np.sin(self._angles)))
        self._widths = np.ptp(points[:, :2] @ across, axis=0)

    def narrow(self) -> list[tuple[float, float]]:
        """Angle [rad] and width [m] of each direction across which it is no wider than across those beside it."""
        beside = np.minimum(np.roll(self._widths, 1), np.roll(self._widths, -1))
        chosen = self._widths <= beside + _AS_NARROW
        pairs = zip(self._angles.tolist(), self._widths.tolist(), chosen.tolist(), strict=True)
        return [(angle, width) for angle, width, is_narrow in pairs if is_narrow]


def _candidate(
    points: Floats,
    angle: float,
    tilt: float,
    hand: HandShape,
    now: Sequence[float],
    sign: float,
    back: bool,
) -> Candidate:
    closing = np.array([math.cos(angle), math.sin(angle), 0.0])
    ahead = np.array([-math.sin(angle), math.cos(angle), 0.0]) * (-1.0 if back else 1.0)
    down = math.radians(tilt)
    way = math.cos(down) * ahead - math.sin(down) * np.array([0.0, 0.0, 1.0])
    ours = np.column_stack((hand.approach, hand.closing, np.cross(hand.approach, hand.closing)))
    theirs = np.column_stack((way, sign * closing, np.cross(way, sign * closing)))
    rotation = theirs @ ours.T
    lower, upper = points.min(axis=0), points.max(axis=0)
    place = np.array([*_middle(points, closing, ahead), (lower[2] + upper[2]) / 2.0])
    if tilt > 45.0:
        place[2] = max(place[2], upper[2] - _DEPTH)
    turned = rotation @ quat2mat(np.array(now[3:7])).T
    turn = math.acos(min(max((float(np.trace(turned)) - 1.0) / 2.0, -1.0), 1.0))
    return Candidate((*place.tolist(), *mat2quat(rotation).tolist()), way, turn)


def _middle(points: Floats, closing: Floats, ahead: Floats) -> tuple[float, float]:
    """The middle of the thing's outline, x and y [m]."""
    axes = np.stack((closing, ahead))[:, :2]
    along = points[:, :2] @ axes.T
    x, y = ((along.min(axis=0) + along.max(axis=0)) / 2.0) @ axes
    return float(x), float(y)


def _cost(candidate: Candidate, points: Floats, now: Sequence[float]) -> float:
    """How far the hand must go round and turn, in half turns."""
    to = points.mean(axis=0)[:2] - np.array(now[:2])
    flat = candidate.way[:2]
    lengths = float(np.linalg.norm(to) * np.linalg.norm(flat))
    round_about = 0.0
    if lengths > 1e-9:
        cosine = min(max(float(to @ flat) / lengths, -1.0), 1.0)
        round_about = math.acos(cosine) * float(np.linalg.norm(flat))
    return (round_about + 0.5 * candidate.turn) / math.pi


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


MARGIN = 0.1
"""How far the hand stands off [m]."""


def approach(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion that opens the fingers and brings the hand to where it can go straight to the object.

    Of the poses in which the hand can grasp the object, the first is taken to which there is a way on which the robot
    touches nothing.

    Arguments: ``hand``; ``object``: an entity; ``margin``: how far the hand stands off (0.1 m); ``from``: side or top,
    else by the object's shape; ``speed``: share of the joints' largest velocities (0.5).

    Raises:
        ValueError: if an argument cannot be used, or the object does not fit into the hand.
        CannotReach: if the hand cannot come to it from any side.
    """
    hand, what = hand_of(scene, arguments), entity_of(scene, arguments, "object")
    margin = number(arguments, "margin", MARGIN) or MARGIN
    speed = speed_of(arguments)
    opening = scene.to_positions(scene.fingers(hand, "open"), speed=speed)
    way = first_possible(
        f"{hand} cannot approach {what}",
        lambda one: free_way(scene, hand, one.off(margin), speed, then=one.pose, touches=[what]),
        grasps(scene, hand, what, arguments),
    )
    return in_turn([opening, *way])
