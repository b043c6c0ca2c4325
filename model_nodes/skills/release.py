"""The skill `release`: a hand puts its load on or into something, lets go, and comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.quaternions import axangle2quat, quat2mat

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.poses import multiply
from hetwin_core.ensemble.scene.values import Floats, Shape, ShapeKind
from hetwin_core.kinematics.trajectories.trajectory import JointTrajectory, in_turn
from model_nodes.containment import inside_of
from model_nodes.robot_program.facts import seen_from, within
from model_nodes.shape_points import points_of
from model_nodes.skills.arguments import entity_of, hand_of, numbers, speed_of
from model_nodes.skills.scene import SkillScene
from model_nodes.skills.ways import LINE_SPEED, first_possible, free_way

_GRID = 0.04
"""Between two places on a surface that are tried [m]."""
_LEVEL = 0.999
"""Cosine of the largest slope of a surface."""
_MOST = 30
"""So many places are tried."""


@dataclass(frozen=True, slots=True)
class Rest:
    """A place for a thing.

    Attributes:
        foot: (3) in the world [m], where the middle of its lowest points is to be.
        covered: whether there is something of the receptacle above it.
        points: (n, 3) of the thing about its origin, not turned [m].
    """

    foot: tuple[float, float, float]
    covered: bool
    points: Floats

    def origin(self, rotation: Sequence[float]) -> tuple[float, float, float]:
        """Return where the thing's origin is when it stands there, turned so."""
        turned = self.points @ quat2mat(np.array(rotation)).T
        lower, upper = turned.min(axis=0), turned.max(axis=0)
        x, y = (np.array(self.foot[:2]) - (lower[:2] + upper[:2]) / 2.0).tolist()
        return x, y, self.foot[2] - float(lower[2])


def rests(scene: SkillScene, into: str, what: str, at: Json, above: float) -> list[Rest]:
    """Return places for a thing, inside before on top, the ones that are nearest to the robot first.

    Args:
        scene: with both.
        into: entity that is to take it.
        what: the load.
        at: x y z in the frame of `into`; None: they are looked for.
        above: how far above the surface it is to be let go [m].

    Raises:
        ValueError: if `at` is no place, or `into` has no level surface that is wide enough.
    """
    pose, thing = scene.pose(into), scene.pose(what)
    local = scene.points(what) - np.array(thing[:3])
    points = local @ quat2mat(np.array(thing[3:]))
    shapes = [shape for shape in scene.entities[into].shapes if shape.collides]
    if at is not None:
        x, y, z = within(pose, (*numbers(at, "at", (3,)), 1.0, 0.0, 0.0, 0.0))[:3]
        return [Rest((x, y, z + above), _covered(shapes, pose, (x, y, z)), points)]
    size = np.ptp(scene.points(what), axis=0)
    inside = inside_of(scene.entities[into]) if shapes else None
    robot = np.array(scene.hand_pose(scene.hands[0])[:2])
    found: list[tuple[bool, float, Rest]] = []
    for foot in _feet(shapes, pose, size):
        middle = (*foot[:2], foot[2] + float(size[2]) / 2.0)
        is_in = inside is not None and inside.holds(_local(pose, middle))
        place = Rest((*foot[:2], foot[2] + above), _covered(shapes, pose, foot), points)
        found.append((not is_in, float(np.linalg.norm(robot - foot[:2])), place))
    if not found:
        raise ValueError(f"{into} has no level surface on which {what} could stand")
    return [place for _, _, place in sorted(found, key=lambda one: one[:2])][:_MOST]


def _feet(
    shapes: Sequence[Shape], pose: Sequence[float], size: Floats
) -> Iterator[tuple[float, float, float]]:
    """Yield points of level surfaces with as much of the surface round them as a thing needs."""
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
    """Half of a shape's lengths, and its upper side, in its own frame [m]."""
    if shape.kind is ShapeKind.CYLINDER:
        return (shape.size[0], shape.size[0]), shape.size[1] / 2.0
    half = shape.size[0] / 2.0, shape.size[1] / 2.0
    return half, shape.size[2] / 2.0 if shape.kind is ShapeKind.BOX else 0.0


def _steps(room: float) -> list[float]:
    count = max(int(2.0 * room / _GRID), 0) // 2
    return [i * _GRID for i in range(-count, count + 1)]


def _covered(shapes: Sequence[Shape], pose: Sequence[float], foot: Sequence[float]) -> bool:
    """Whether the box round one of the shapes is above a point."""
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


_TURNS = 12
"""So many turns of the hand about the vertical are tried."""
_BACK = (0.1, 0.35)
"""How far the hand comes from, and goes back: off a surface, and out of something with a roof [m]."""
_DROP = 2e-3
"""Height above its support, beyond the clearance, at which a load is let go [m]."""


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
