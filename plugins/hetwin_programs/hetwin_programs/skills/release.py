"""The skill `release`: a hand puts its load on or into an entity, opens its fingers, and retreats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.quaternions import axangle2quat, quat2mat

from hetwin_programs.program.facts import seen_from, within
from hetwin_programs.skills.arguments import entity_of, hand_of, numbers, speed_of
from hetwin_programs.skills.free_paths import LINE_SPEED, first_possible, free_path
from hetwin_programs.skills.scene import SkillScene
from hetwin_suite.model import Floats, Json, Shape, ShapeKind, multiply
from hetwin_suite.robot import JointTrajectory, concatenate
from hetwin_suite.shapes import interior_of, points_of

_GRID = 0.04
"""Distance between neighbouring positions that are attempted on a surface [m]."""
_LEVEL = 0.999
"""Minimum cosine of the slope of a surface that counts as level."""
_MAX_POSITIONS = 30
"""Maximum number of positions that are attempted."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Position on which an object can be put down.

    Attributes:
        foot: (3) in the world [m], target of the middle of the object's lowest points.
        covered: whether a part of the receptacle is above it.
        points: (n, 3) of the object about its origin, not rotated [m].
    """

    foot: tuple[float, float, float]
    covered: bool
    points: Floats

    def origin(self, rotation: Sequence[float]) -> tuple[float, float, float]:
        """Return the position of the object's origin when it stands on the foot in an orientation qw qx qy qz."""
        turned = self.points @ quat2mat(np.array(rotation)).T
        lower, upper = turned.min(axis=0), turned.max(axis=0)
        x, y = (np.array(self.foot[:2]) - (lower[:2] + upper[:2]) / 2.0).tolist()
        return x, y, self.foot[2] - float(lower[2])


def rests(scene: SkillScene, into: str, what: str, at: Json, above: float) -> list[Rest]:
    """Return positions for an object: inside before on top, then by distance from the robot's first hand.

    Args:
        scene: contains both entities.
        into: receptacle.
        what: the load.
        at: x y z in the frame of `into`; None: positions are searched for.
        above: height above the surface at which the load is released [m].

    Raises:
        ValueError: if `at` is not a position, or `into` has no level surface that is wide enough.
    """
    pose, thing = scene.pose(into), scene.pose(what)
    local = scene.points(what) - np.array(thing[:3])
    points = local @ quat2mat(np.array(thing[3:]))
    shapes = [shape for shape in scene.entities[into].shapes if shape.collides]
    if at is not None:
        x, y, z = within(pose, (*numbers(at, "at", (3,)), 1.0, 0.0, 0.0, 0.0))[:3]
        return [Rest((x, y, z + above), _covered(shapes, pose, (x, y, z)), points)]
    size = np.ptp(scene.points(what), axis=0)
    inside = interior_of(scene.entities[into]) if shapes else None
    robot = np.array(scene.hand_pose(scene.hands[0])[:2])
    found: list[tuple[bool, float, Rest]] = []
    for foot in _feet(shapes, pose, size):
        middle = (*foot[:2], foot[2] + float(size[2]) / 2.0)
        is_in = inside is not None and inside.holds(_local(pose, middle))
        rest = Rest((*foot[:2], foot[2] + above), _covered(shapes, pose, foot), points)
        found.append((not is_in, float(np.linalg.norm(robot - foot[:2])), rest))
    if not found:
        raise ValueError(f"{into} has no level surface on which {what} could stand")
    return [rest for _, _, rest in sorted(found, key=lambda one: one[:2])][:_MAX_POSITIONS]


def _feet(
    shapes: Sequence[Shape], pose: Sequence[float], size: Floats
) -> Iterator[tuple[float, float, float]]:
    """Yield points of level surfaces around which the surface is wide enough for the object's bounding circle."""
    radius = float(np.hypot(size[0], size[1])) / 2.0
    for shape in shapes:
        frame = within(pose, shape.pose)
        up = abs(float(quat2mat(np.array(frame[3:]))[2, 2]))
        if shape.kind not in (ShapeKind.BOX, ShapeKind.CYLINDER, ShapeKind.PLANE) or up < _LEVEL:
            continue
        half, top = _half(shape)
        room = [half[0] - radius, half[1] - radius]
        if min(room) < 0.0:
            continue
        sign = 1.0 if quat2mat(np.array(frame[3:]))[2, 2] > 0 else -1.0
        for x in _steps(room[0]):
            for y in _steps(room[1]):
                if shape.kind is not ShapeKind.CYLINDER or np.hypot(x, y) <= room[0]:
                    a, b, c = within(frame, (x, y, sign * top, 1.0, 0.0, 0.0, 0.0))[:3]
                    yield a, b, c


def _half(shape: Shape) -> tuple[tuple[float, float], float]:
    """Return half of a shape's lengths in x and y, and the z of its upper side, in its own frame [m]."""
    if shape.kind is ShapeKind.CYLINDER:
        return (shape.size[0], shape.size[0]), shape.size[1] / 2.0
    half = shape.size[0] / 2.0, shape.size[1] / 2.0
    return half, shape.size[2] / 2.0 if shape.kind is ShapeKind.BOX else 0.0


def _steps(room: float) -> list[float]:
    count = max(int(2.0 * room / _GRID), 0) // 2
    return [i * _GRID for i in range(-count, count + 1)]


def _covered(shapes: Sequence[Shape], pose: Sequence[float], foot: Sequence[float]) -> bool:
    """Return whether the bounding box of one of the shapes is above a point."""
    for shape in shapes:
        if shape.kind is ShapeKind.PLANE:
            continue
        points = points_of([shape]) @ quat2mat(np.array(pose[3:])).T + np.array(pose[:3])
        lower, upper = points.min(axis=0), points.max(axis=0)
        flat = (lower[:2] < np.array(foot[:2])) & (np.array(foot[:2]) < upper[:2])
        if flat.all() and lower[2] > foot[2] + 1e-3:
            return True
    return False


def _local(pose: Sequence[float], point: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = seen_from(pose, (*point, 1.0, 0.0, 0.0, 0.0))[:3]
    return x, y, z


_YAWS = 12
"""Number of orientations of the hand about the vertical that are attempted."""
_RETREATS = (0.1, 0.35)
"""Distance of approach and retreat: vertically from a surface, horizontally out of a covered receptacle [m]."""
_RELEASE_HEIGHT = 2e-3
"""Height above the support, beyond the clearance, at which a load is released [m]."""


@dataclass(frozen=True, slots=True)
class _Release:
    """Poses of the hand at the release, and at the start of the approach to it, (7) in the world."""

    at: tuple[float, ...]
    before: tuple[float, ...]


def release(scene: SkillScene, arguments: Mapping[str, Json]) -> JointTrajectory:
    """Return the motion that puts the held object down, opens the fingers and retreats the hand.

    Arguments: ``hand``; ``into``: the receptacle, into or onto which the object is put in the orientation in which it
    is held, up to a rotation about the vertical; without it the hand opens where it is; ``at``: x y z in that entity's
    frame [m] for the object's lowest point, by default a free position is searched for, inside before on top;
    ``speed``: fraction of the joints' largest velocities (0.5).

    Raises:
        ValueError: if an argument cannot be used, or the hand holds nothing.
        CannotReach: if the hand cannot put the object there.
    """
    hand, speed = hand_of(scene, arguments), speed_of(arguments)
    what = scene.held(hand)
    if what is None:
        raise ValueError(f"there is nothing in {hand}; expected an object that it holds")
    opened = scene.fingers(hand, "open")
    if arguments.get("into") is None:
        opening = scene.to_positions(opened, speed=speed)
        return concatenate([opening, _retreat(scene, hand, _RETREATS[0])])

    def put(one: _Release) -> list[JointTrajectory]:
        with scene.attempt():
            path = free_path(scene, hand, one.before, speed, then=one.at)
            there = scene.hand_to(hand, one.at, straight=True, speed=LINE_SPEED)
            opening = scene.to_positions(opened, speed=speed)
            back = scene.hand_to(hand, one.before, straight=True, speed=LINE_SPEED)
        return [*path, there, opening, back]

    into = entity_of(scene, arguments, "into")
    feet = rests(scene, into, what, arguments.get("at"), scene.clearance + _RELEASE_HEIGHT)
    return concatenate(
        first_possible(f"{hand} cannot put {what} into {into}", put, _puts(scene, hand, what, feet))
    )


def _retreat(scene: SkillScene, hand: str, by: float) -> JointTrajectory:
    here = scene.hand_pose(hand)
    direction = quat2mat(np.array(here[3:])) @ scene.hand_shape(hand).approach
    back = (*(np.array(here[:3]) - by * direction).tolist(), *here[3:])
    return scene.hand_to(hand, back, straight=True, speed=LINE_SPEED)


def _puts(scene: SkillScene, hand: str, what: str, feet: Sequence[Rest]) -> Iterator[_Release]:
    """Yield the poses of the hand for each position, by increasing rotation about the vertical."""
    here = scene.hand_pose(hand)
    held, in_hand = scene.pose(what), seen_from(here, scene.pose(what))
    approach = scene.hand_shape(hand).approach
    turns = sorted(
        (2.0 * np.pi * i / _YAWS for i in range(_YAWS)), key=lambda a: min(a, 2 * np.pi - a)
    )
    for rest in feet:
        for turn in turns:
            rotation = multiply(axangle2quat([0, 0, 1], turn).tolist(), held[3:])
            target = (*rest.origin(rotation), *rotation)
            at = within(target, seen_from(in_hand, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)))
            yield _Release(at, _start(at, approach, covered=rest.covered))


def _start(at: tuple[float, ...], approach: Floats, *, covered: bool) -> tuple[float, ...]:
    """Return the pose at the start of the approach: above the release, or in front of it if it is covered."""
    up = np.array([0.0, 0.0, 1.0])
    if covered:
        direction = quat2mat(np.array(at[3:])) @ approach
        direction[2] = 0.0
        length = float(np.linalg.norm(direction))
        up = -direction / length * (_RETREATS[1] / _RETREATS[0]) if length > 1e-3 else up
    return (*(np.array(at[:3]) + _RETREATS[0] * up).tolist(), *at[3:])
