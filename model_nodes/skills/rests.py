"""Where something can be put into or onto something else: on its level surfaces, as far as they are wide enough."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scene.shapes import Shape, ShapeKind
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.containment import inside_of
from model_nodes.robot_program.placing import seen_from, within
from model_nodes.shape_points import points_of
from model_nodes.skills.arguments import numbers
from model_nodes.skills.scene import SkillScene

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
        what: the thing.
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
