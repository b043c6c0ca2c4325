"""The skills `approach` and `grasp`: the two stages of a grasp, at feasible hand poses (Jiang et al.)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d.quaternions import mat2quat, quat2mat

from hetwin_programs.skills.arguments import entity_of, hand_of, number, speed_of
from hetwin_programs.skills.free_paths import LINE_SPEED, first_possible, forbid, free_path
from hetwin_programs.skills.hand_shape import HandShape
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.model import Floats, Json
from hetwin_suite.robot import JointTrajectory, concatenate

SIDE, TOP = "side", "top"
_DIRECTIONS = 18
"""Number of directions, over half a turn, across which an object is measured."""
_WIDTH_TOLERANCE = 1e-3
"""Tolerance of a local minimum: a direction counts if the width exceeds that of its neighbours by at most this [m]."""
_TALL_RATIO = 1.2
"""Minimum ratio of height to width at which an object is grasped from the side first."""
_TILTS = {SIDE: (0.0, 30.0), TOP: (90.0, 60.0)}
"""Downward tilts of the approach, by side [deg]."""
_MAX_DEPTH = 0.03
"""A grasp from the top is at mid-height, but at most this far below the highest point [m]."""
_CLEARANCE = 2e-3
"""Clearance between the object and the open hand [m]."""
_MAX_CANDIDATES = 16
"""Maximum number of candidates for each tilt."""
_RAISES = (0.0, 0.015, 0.03)
"""Heights above the middle of the object at which it is grasped, for hands that would touch its support [m]."""
_MIN_DEPTH = 0.004
"""Minimum depth of a grasp below the highest point [m]."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Pose of a hand that grasps an object.

    Attributes:
        pose: (7) x y z [m], qw qx qy qz in the world.
        direction: (3,) unit vector of the approach, in the world.
        rotation: angle between the hand's present orientation and this one [rad].
    """

    pose: tuple[float, ...]
    direction: Floats
    rotation: float

    def backed_off(self, margin: float) -> tuple[float, ...]:
        """Return the pose that is `margin` [m] back along the approach."""
        return (*(np.array(self.pose[:3]) - margin * self.direction).tolist(), *self.pose[3:])

    def raised(self, by: float) -> Candidate:
        """Return the candidate, raised by a height [m]."""
        x, y, z, *rotation = self.pose
        return replace(self, pose=(x, y, z + by, *rotation))


def candidates(
    points: Floats, axis: Floats, hand: HandShape, now: Sequence[float], sides: str | None
) -> list[Candidate]:
    """Return the poses in which a hand can grasp an object, the most natural first.

    Tall objects are grasped from the side first, others from the top, across their narrowest directions.

    Args:
        points: (n, 3) in the world [m]; their convex hull is the object.
        axis: (3,) in the world; direction along which the object may be narrow.
        hand: shape of the hand.
        now: (7) present pose of the hand, in the world.
        sides: ``side`` or ``top`` to grasp from there only; None: from both.

    Raises:
        ValueError: if the object is wider than the open hand.
    """
    widths = _Widths(points, axis)
    narrow = widths.narrow()
    narrowest = min(width for _, width in narrow)
    if hand.opening is not None:
        narrow = [(a, width) for a, width in narrow if width + _CLEARANCE <= hand.opening]
    if not narrow:
        raise ValueError(
            f"it is {narrowest:.3f} m wide; expected at most {(hand.opening or 0.0) - _CLEARANCE:.3f} m,"
            " the width that fits into the open hand"
        )
    height = float(np.ptp(points[:, 2]))
    order = (SIDE, TOP) if height >= _TALL_RATIO * narrowest else (TOP, SIDE)
    found: list[Candidate] = []
    for side in order if sides is None else (sides,):
        for tilt in _TILTS[side]:
            some = [
                _candidate(points, angle, tilt, hand, now, sign, back)
                for angle, _ in narrow
                for sign in (1.0, -1.0)
                for back in ((False,) if tilt == 90.0 else (False, True))
            ]
            best = sorted(some, key=lambda one: _cost(one, points, now))[:_MAX_CANDIDATES]
            top = float(points[:, 2].max()) - _MIN_DEPTH
            found += [one.raised(by) for by in _RAISES for one in best if one.pose[2] + by <= top]
    return found


class _Widths:
    """Widths of an object across horizontal directions."""

    def __init__(self, points: Floats, axis: Floats) -> None:
        first = math.atan2(axis[1], axis[0])
        self._angles = first + np.arange(_DIRECTIONS) * math.pi / _DIRECTIONS
        across = np.stack((np.cos(self._angles), np.sin(self._angles)))
        self._widths = np.ptp(points[:, :2] @ across, axis=0)

    def narrow(self) -> list[tuple[float, float]]:
        """Return angle [rad] and width [m] of each direction that is at least as narrow as its two neighbours."""
        beside = np.minimum(np.roll(self._widths, 1), np.roll(self._widths, -1))
        chosen = self._widths <= beside + _WIDTH_TOLERANCE
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
    direction = math.cos(down) * ahead - math.sin(down) * np.array([0.0, 0.0, 1.0])
    ours = np.column_stack((hand.approach, hand.closing, np.cross(hand.approach, hand.closing)))
    theirs = np.column_stack((direction, sign * closing, np.cross(direction, sign * closing)))
    rotation = theirs @ ours.T
    lower, upper = points.min(axis=0), points.max(axis=0)
    position = np.array([*_middle(points, closing, ahead), (lower[2] + upper[2]) / 2.0])
    if tilt > 45.0:
        position[2] = max(position[2], upper[2] - _MAX_DEPTH)
    turned = rotation @ quat2mat(np.array(now[3:7])).T
    rotation_angle = math.acos(min(max((float(np.trace(turned)) - 1.0) / 2.0, -1.0), 1.0))
    return Candidate((*position.tolist(), *mat2quat(rotation).tolist()), direction, rotation_angle)


def _middle(points: Floats, closing: Floats, ahead: Floats) -> tuple[float, float]:
    """Return x and y of the middle of the object's outline [m]."""
    axes = np.stack((closing, ahead))[:, :2]
    along = points[:, :2] @ axes.T
    x, y = ((along.min(axis=0) + along.max(axis=0)) / 2.0) @ axes
    return float(x), float(y)


def _cost(candidate: Candidate, points: Floats, now: Sequence[float]) -> float:
    """Return the cost of a candidate: half turns of the hand around the object and about itself."""
    to = points.mean(axis=0)[:2] - np.array(now[:2])
    flat = candidate.direction[:2]
    lengths = float(np.linalg.norm(to) * np.linalg.norm(flat))
    round_about = 0.0
    if lengths > 1e-9:
        cosine = min(max(float(to @ flat) / lengths, -1.0), 1.0)
        round_about = math.acos(cosine) * float(np.linalg.norm(flat))
    return (round_about + 0.5 * candidate.rotation) / math.pi


_PRESS_S = 0.3
"""Time for which the fingers press before the hand moves again [s]."""


def grasp(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the straight motion of the hand to the object, and the closing of its fingers.

    The grasp that needs the smallest rotation of the hand is attempted first.

    Arguments: ``hand``; ``object``: an entity; ``from``: side or top; ``speed``: fraction of the fingers' largest
    velocities (0.5); ``lift``: height by which the hand then rises (0 m).

    Raises:
        ValueError: if an argument cannot be used, or the object does not fit into the hand.
        CannotReach: if the hand cannot move straight to the object from its present pose.
    """
    hand, what = hand_of(scene, arguments), entity_of(scene, arguments, "object")
    lift = number(arguments, "lift", 0.0, minimum=-1e-9) or 0.0
    closed = scene.fingers(hand, "closed")
    found = sorted(grasps(scene, hand, what, arguments), key=lambda one: one.rotation)

    def straight(candidate: Candidate) -> list[JointTrajectory]:
        with scene.attempt():
            there = scene.hand_to(hand, candidate.pose, straight=True, speed=LINE_SPEED)
            forbid(scene.in_the_way([there], touches=[what]), f"the straight path of {hand}")
            closing = scene.to_positions(closed, speed=speed_of(arguments))
            if not lift:
                return [there, closing]
            return [there, closing, _pause(closed), scene.hand_up(hand, lift, speed=LINE_SPEED)]

    return concatenate(
        first_possible(
            f"{hand} cannot move straight to {what} from its present pose",
            straight,
            found,
        )
    )


def _pause(fingers: Mapping[str, float]) -> JointTrajectory:
    positions = np.array([list(fingers.values())] * 2)
    return JointTrajectory(tuple(fingers), np.array([0.0, _PRESS_S]), positions)


def grasps(
    scene: SkillScene, hand: str, what: str, arguments: Mapping[str, Json]
) -> list[Candidate]:
    """Return the poses in which a hand can grasp an entity, the most natural first.

    Raises:
        ValueError: if the entity does not fit into the hand, or the argument ``from`` is neither side nor top.
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
"""Default distance between the hand's pose after the approach and its pose in the grasp [m]."""


def approach(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion that opens the fingers, and moves the hand to where a straight motion grasps the object.

    The first feasible grasp is chosen that the robot can reach without touching anything.

    Arguments: ``hand``; ``object``: an entity; ``margin``: distance between the hand's pose and the grasp (0.1 m);
    ``from``: side or top, by default chosen by the object's shape; ``speed``: fraction of the joints' largest
    velocities (0.5).

    Raises:
        ValueError: if an argument cannot be used, or the object does not fit into the hand.
        CannotReach: if the hand can reach none of the grasps.
    """
    hand, what = hand_of(scene, arguments), entity_of(scene, arguments, "object")
    margin = number(arguments, "margin", MARGIN) or MARGIN
    speed = speed_of(arguments)
    opening = scene.to_positions(scene.fingers(hand, "open"), speed=speed)
    path = first_possible(
        f"{hand} cannot approach {what}",
        lambda candidate: free_path(
            scene, hand, candidate.backed_off(margin), speed, then=candidate.pose, touches=[what]
        ),
        grasps(scene, hand, what, arguments),
    )
    return concatenate([opening, *path])
