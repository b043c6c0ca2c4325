"""Where the tips of a hand's fingers are, and on which side of each joint's travel the hand is open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from hetwin_suite.scaffolding.reach import link_frames, matrix_of, surface_points
from model_nodes.main_physics.world.description import Body, Geometry, Joint

TIP_SHARE = 0.25
"""The outermost part of a finger is its tip."""
LEAST_OPENING = 1e-3
"""A hand opens if its tips go apart by this [m]."""
SIDEWAYS = 0.15
"""A joint that opens a hand by less than this share of what another one does moves its finger sideways."""

ALONG = 0.7
"""Joints of a finger curl it together if the cosine between their axes is at least this."""


class FingerTips:
    """The tips of a hand's fingers for given positions of its joints.

    Args:
        body: the robot.
        palm: link that the fingers start from.
        fingers: the joints of each finger, from the palm outwards.
        rigid: links that are fixed to the palm, itself included: the other side of a single jaw.
    """

    def __init__(
        self,
        body: Body,
        palm: str,
        fingers: Sequence[Sequence[Joint]],
        rigid: Iterable[str],
    ) -> None:
        self._body, self._palm, self._fingers = body, palm, fingers
        links = {link.name: link for link in body.links}
        self._shapes = {name: links[name].geometries for name in rigid if name in links}
        self._points = {
            joint.child: surface_points(links[joint.child])
            for finger in fingers
            for joint in finger
        }

    def opened(
        self, ends: Mapping[str, tuple[float, float]], resting: Mapping[str, float]
    ) -> dict[str, float | None]:
        """Joint -> the end of its travel at which the hand is open; None: it does not open or close it.

        Args:
            ends: driving joint -> both ends of its travel [rad or m].
            resting: where the others are while one moves.
        """
        sides: dict[str, float | None] = {}
        for finger in self._fingers if len(self._fingers) > 2 else ():
            sides |= self._curled(finger, {j.name: ends[j.name] for j in finger if j.name in ends})
        ends = {name: both for name, both in ends.items() if name not in sides}
        gains = {
            name: [self.spread({**resting, name: end}) for end in both]
            for name, both in ends.items()
        }
        sizes = {name: abs(upper - lower) for name, (lower, upper) in gains.items()}
        least = max(LEAST_OPENING, SIDEWAYS * max(sizes.values(), default=0.0))
        return sides | {
            name: None if sizes[name] < least else ends[name][0 if lower > upper else 1]
            for name, (lower, upper) in gains.items()
        }

    def _curled(
        self, finger: Sequence[Joint], ends: Mapping[str, tuple[float, float]]
    ) -> dict[str, float | None]:
        """The open ends of a finger of several joints: it curls towards its own root, as its last joint does."""
        if len(ends) < 2:
            return {}
        rest = self._frames({})
        axes = {j.name: rest[j.child][:3, :3] @ np.asarray(j.axis) for j in finger}
        for last in reversed([joint for joint in finger if joint.name in ends]):
            lower, upper = (self._length(finger, {last.name: end}) for end in ends[last.name])
            if abs(upper - lower) >= LEAST_OPENING:
                break
        else:
            return {}
        curls = 1.0 if upper < lower else -1.0
        sides: dict[str, float | None] = {}
        for name, both in ends.items():
            along = curls * float(axes[name] @ axes[last.name])
            sides[name] = None if abs(along) < ALONG else both[0 if along > 0.0 else 1]
        return sides

    def _length(self, finger: Sequence[Joint], at: Mapping[str, float]) -> float:
        """How far the tip of a finger is from where it begins [m]."""
        frames = self._frames(at)
        tip = self._outermost(finger, frames).mean(axis=0)
        return float(np.linalg.norm(tip - frames[finger[0].child][:3, 3]))

    def spread(self, at: Mapping[str, float]) -> float:
        """How far the tips are from each other and from the palm, or a single one from the fixed side [m]."""
        frames = self._frames(at)
        if len(self._fingers) == 1:
            return self._to_fixed_side(frames)
        tips = self._tips(frames)
        apart = [float(np.linalg.norm(a - b)) for a, b in combinations(tips, 2)]
        away = [float(np.linalg.norm(tip)) for tip in tips]
        return sum(apart) / len(apart) + sum(away) / len(away)

    def middle(self, at: Mapping[str, float]) -> Floats:
        """(3,) the middle of the tips in the palm's frame [m]."""
        middle: Floats = np.mean(self._tips(self._frames(at)), axis=0)
        return middle

    def _frames(self, at: Mapping[str, float]) -> dict[str, Floats]:
        """Link -> (4, 4) its frame in the palm's."""
        frames = link_frames(self._body, {name: np.array([value]) for name, value in at.items()})
        to_palm = np.linalg.inv(frames[self._palm][0])
        return {name: to_palm @ frame[0] for name, frame in frames.items()}

    def _tips(self, frames: Mapping[str, Floats]) -> list[Floats]:
        return [self._outermost(finger, frames).mean(axis=0) for finger in self._fingers]

    def _outermost(self, finger: Sequence[Joint], frames: Mapping[str, Floats]) -> Floats:
        """(n, 3) points of a finger's tip in the palm's frame [m]; its last frame's origin without a shape."""
        last = finger[-1].child
        frame, points = frames[last], self._points[last]
        if len(points) == 0:
            return frame[None, :3, 3]
        inside = points @ frame[:3, :3].T + frame[:3, 3]
        begin = frame[:3, 3] if len(self._fingers) == 1 else np.zeros(3)
        along = inside.mean(axis=0) - begin
        if float(np.linalg.norm(along)) <= 1e-6:
            return np.asarray(inside)
        heights = inside @ (along / np.linalg.norm(along))
        return np.asarray(inside[heights >= heights.max() - TIP_SHARE * np.ptp(heights)])

    def _to_fixed_side(self, frames: Mapping[str, Floats]) -> float:
        """Distance of the tip from what it closes against [m]; 0 if that has no shape."""
        points = self._outermost(self._fingers[0], frames)
        away = [
            _distance(geometry, points, frames[link])
            for link, geometries in self._shapes.items()
            for geometry in geometries
            if geometry.kind is not ShapeKind.PLANE
        ]
        return min(away, default=0.0)


def _distance(geometry: Geometry, points: Floats, frame: Floats) -> float:
    """Mean distance of points from a shape that bulges outwards; negative inside [m]."""
    to_shape = np.linalg.inv(frame @ matrix_of(geometry.pose))
    own = points @ to_shape[:3, :3].T + to_shape[:3, 3]
    if geometry.hull is None:
        beyond = np.abs(own) - _half(geometry)
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return float(np.mean(outside + np.minimum(beyond.max(axis=1), 0.0)))
    a, b, c = (geometry.hull.vertices[geometry.hull.faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    normals, a = normals[sizes > 0.0] / sizes[sizes > 0.0, None], a[sizes > 0.0]
    return float(np.mean((own @ normals.T - np.einsum("fi,fi->f", normals, a)).max(axis=1)))


def _half(geometry: Geometry) -> Floats:
    """Half of the sides of the box around a shape that is no mesh [m]."""
    size = np.asarray(geometry.size, np.float64)
    match geometry.kind:
        case ShapeKind.BOX:
            return size / 2.0
        case ShapeKind.SPHERE | ShapeKind.ELLIPSOID:
            return np.broadcast_to(size, (3,))
        case ShapeKind.CAPSULE:
            return np.array([size[0], size[0], size[1] / 2.0 + size[0]])
    return np.array([size[0], size[0], size[1] / 2.0])
