"""Where links, surfaces and finger tips of a robot are for given joint positions, and how high it must stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.values import Floats, ShapeKind
from model_nodes.main_physics.world.description import Body, Geometry, Joint, JointKind, Link, Pose

_RING = 24
"""Points on the rim of a round shape."""


def link_frames(body: Body, positions: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return (n, 4, 4) transforms from each link's frame to the root link's.

    Args:
        body: a robot.
        positions: joint -> (n,) positions [rad or m]; joints that are left out are at 0 or follow another.
    """
    count = len(next(iter(positions.values()))) if positions else 1
    by_child = {joint.child: joint for joint in body.joints}
    frames: dict[str, Floats] = {}
    for link in body.links:  # parents come before their children
        joint = by_child.get(link.name)
        if joint is None:
            frames[link.name] = np.broadcast_to(np.eye(4), (count, 4, 4))
            continue
        moved = _motion(joint, joint_positions(joint, positions, count))
        frames[link.name] = frames[joint.parent] @ matrix_of(link.pose) @ moved
    return frames


def joint_positions(joint: Joint, positions: Mapping[str, Floats], count: int) -> Floats:
    """Return (n,) positions of a joint: those given, else those that it mimics, else 0 or its nearest limit."""
    if joint.name in positions:
        return positions[joint.name]
    if joint.mimic is not None and joint.mimic.joint in positions:
        return joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
    return np.full(count, joint.resting)


def surface_points(link: Link, *, collides: bool | None = None) -> Floats:
    """Return (n, 3) points in the link's frame that span its geometries [m]; its planes are left out.

    Args:
        link: of a robot.
        collides: only geometries that collide, or only those that do not; None: all.
    """
    chosen = [g for g in link.geometries if collides is None or g.collides is collides]
    parts = [_in_link(geometry) for geometry in chosen if geometry.kind is not ShapeKind.PLANE]
    return np.concatenate(parts) if parts else np.empty((0, 3))


def matrix_of(pose: Pose) -> Floats:
    """Return the (4, 4) transform of a pose."""
    matrix = np.eye(4)
    matrix[:3, :3] = quat2mat(pose[3:7])
    matrix[:3, 3] = pose[:3]
    return matrix


def _motion(joint: Joint, at: Floats) -> Floats:
    """Return (n, 4, 4) transforms of a joint at (n,) positions."""
    moved = np.broadcast_to(np.eye(4), (len(at), 4, 4)).copy()
    axis, anchor = np.asarray(joint.axis), np.asarray(joint.anchor)
    if joint.kind is JointKind.SLIDE:
        moved[:, :3, 3] = at[:, None] * axis
    elif joint.kind is JointKind.HINGE:
        x, y, z = axis
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        sine, cosine = np.sin(at)[:, None, None], np.cos(at)[:, None, None]
        moved[:, :3, :3] = np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross)
        moved[:, :3, 3] = anchor - moved[:, :3, :3] @ anchor
    return moved


def _in_link(geometry: Geometry) -> Floats:
    points = _own_points(geometry)
    matrix = matrix_of(geometry.pose)
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _own_points(geometry: Geometry) -> Floats:
    if geometry.hull is not None:
        return geometry.hull.vertices
    if geometry.kind is ShapeKind.BOX:
        corners = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
        return np.asarray(corners * geometry.size)
    if geometry.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return np.asarray(_ball() * geometry.size)
    radius, length = geometry.size[:2]
    rim = _ball() * radius if geometry.kind is ShapeKind.CAPSULE else _rim() * radius
    half = np.array([0.0, 0.0, length / 2])
    return np.concatenate([rim - half, rim + half])


def _rim() -> Floats:
    angles = np.arange(_RING) * (2.0 * np.pi / _RING)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(_RING)], axis=1)


def _ball() -> Floats:
    """Points on the unit sphere, evenly spread along a spiral."""
    count = 4 * _RING
    z = np.linspace(-1.0, 1.0, count)
    angles = np.arange(count) * (np.pi * (3.0 - np.sqrt(5.0)))
    across = np.sqrt(1.0 - z * z)
    return np.stack([across * np.cos(angles), across * np.sin(angles), z], axis=1)


CLEARANCE = 0.01
"""A moving part stays so far above the floor [m]; others may stand on it."""


def standing_height(body: Body, positions: Mapping[str, Floats]) -> float:
    """Return the height of the root link [m] at which the lowest point of the robot is on the floor.

    It is 0 if nothing is lower than the root link.

    Args:
        body: the robot.
        positions: joint -> (n,) positions that it takes [rad or m].
    """
    moving = _moving_links(body)
    frames = link_frames(body, positions)
    height = 0.0
    for link in body.links:
        points = surface_points(link)
        if len(points) == 0:
            continue
        upwards = frames[link.name][:, 2]  # (n, 4): the height of a point
        lowest = float((points @ upwards[:, :3].T + upwards[:, 3]).min())
        margin = CLEARANCE if link.name in moving else 0.0
        if lowest < -1e-6:
            height = max(height, margin - lowest)
    return math.ceil(height * 1000.0) / 1000.0


def _moving_links(body: Body) -> set[str]:
    moving: set[str] = set()
    for joint in body.joints:  # parents come before their children
        if joint.kind is not JointKind.FIXED or joint.parent in moving:
            moving.add(joint.child)
    return moving


TIP_SHARE = 0.25
"""The outermost part of a finger is its tip."""
LEAST_OPENING = 1e-3
"""A hand opens if its tips go apart by this [m]."""
SIDEWAYS = 0.15
"""A joint that opens a hand by less than this share of another one moves its finger sideways."""

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
        """Distance of the tip from its opposite [m]; 0 if that has no shape."""
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
