"""Forward kinematics of a robot's links, surfaces and fingertips, and its height above the floor."""

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
        positions: joint -> (n,) positions [rad or m]; for other joints see `joint_positions`.
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
    """Return (n,) positions of a joint: the given ones, those of the joint it mimics, or its rest position.

    The rest position is 0, or the limit nearest to 0.
    """
    if joint.name in positions:
        return positions[joint.name]
    if joint.mimic is not None and joint.mimic.joint in positions:
        return joint.mimic.multiplier * positions[joint.mimic.joint] + joint.mimic.offset
    return np.full(count, joint.resting)


def surface_points(link: Link, *, collides: bool | None = None) -> Floats:
    """Return (n, 3) points that span the geometries of a link, in its frame [m]; planes are omitted.

    Args:
        link: the link.
        collides: True: only geometries for collisions; False: only other geometries; None: all.
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
    points = _local_points(geometry)
    matrix = matrix_of(geometry.pose)
    return np.asarray(points @ matrix[:3, :3].T + matrix[:3, 3])


def _local_points(geometry: Geometry) -> Floats:
    if geometry.hull is not None:
        return geometry.hull.vertices
    if geometry.kind is ShapeKind.BOX:
        corners = np.array(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5])).reshape(3, -1).T
        return np.asarray(corners * geometry.size)
    if geometry.kind in (ShapeKind.SPHERE, ShapeKind.ELLIPSOID):
        return np.asarray(_sphere_points() * geometry.size)
    radius, length = geometry.size[:2]
    rim = (
        _sphere_points() * radius
        if geometry.kind is ShapeKind.CAPSULE
        else _circle_points() * radius
    )
    half = np.array([0.0, 0.0, length / 2])
    return np.concatenate([rim - half, rim + half])


def _circle_points() -> Floats:
    angles = np.arange(_RING) * (2.0 * np.pi / _RING)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros(_RING)], axis=1)


def _sphere_points() -> Floats:
    """Return points on the unit sphere, evenly distributed along a spiral."""
    count = 4 * _RING
    z = np.linspace(-1.0, 1.0, count)
    angles = np.arange(count) * (np.pi * (3.0 - np.sqrt(5.0)))
    radius = np.sqrt(1.0 - z * z)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), z], axis=1)


CLEARANCE = 0.01
"""Minimum height of moving links above the floor [m]; other links may touch it."""


def standing_height(body: Body, positions: Mapping[str, Floats]) -> float:
    """Return the minimum height of the root link at which no link is below the floor, in steps of 1 mm [m].

    It is 0 if no point of the robot is lower than the root link.

    Args:
        body: the robot.
        positions: joint -> (n,) positions [rad or m].
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


TIP_FRACTION = 0.25
"""Fraction of a finger's last link that counts as its tip."""
MIN_OPENING = 1e-3
"""Minimum change of the tips' distance for a joint to open a hand [m]."""
MIN_RELATIVE_OPENING = 0.15
"""Minimum opening of a joint, relative to that of the joint that opens the hand most; other joints move a finger
sideways."""

MIN_PARALLEL_COSINE = 0.7
"""Minimum cosine between the axes of two joints that curl a finger together."""


class FingerTips:
    """The fingertips of a hand as a function of its joint positions.

    Args:
        body: the robot.
        palm: link to which the fingers are attached.
        fingers: the joints of each finger, from the palm outwards.
        rigid: links of the palm's rigid part, against which a single jaw closes.
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
        """Return joint -> end of its travel at which the hand is open; None if the joint neither opens nor closes it.

        Args:
            ends: driving joint -> both ends of its travel [rad or m].
            resting: joint -> position while another joint is moved [rad or m].
        """
        sides: dict[str, float | None] = {}
        for finger in self._fingers if len(self._fingers) > 2 else ():
            sides |= self._curling_ends(
                finger, {j.name: ends[j.name] for j in finger if j.name in ends}
            )
        ends = {name: both for name, both in ends.items() if name not in sides}
        gains = {
            name: [self.openness({**resting, name: end}) for end in both]
            for name, both in ends.items()
        }
        sizes = {name: abs(upper - lower) for name, (lower, upper) in gains.items()}
        threshold = max(MIN_OPENING, MIN_RELATIVE_OPENING * max(sizes.values(), default=0.0))
        return sides | {
            name: None if sizes[name] < threshold else ends[name][0 if lower > upper else 1]
            for name, (lower, upper) in gains.items()
        }

    def _curling_ends(
        self, finger: Sequence[Joint], ends: Mapping[str, tuple[float, float]]
    ) -> dict[str, float | None]:
        """Return the open ends of a finger with several joints; empty if the finger does not curl.

        A finger closes by curling: its tip approaches its root. The last joint shows the direction of curling, which
        the parallel joints share.
        """
        if len(ends) < 2:
            return {}
        rest_frames = self._frames({})
        axes = {j.name: rest_frames[j.child][:3, :3] @ np.asarray(j.axis) for j in finger}
        for last in reversed([joint for joint in finger if joint.name in ends]):
            lower, upper = (self._length(finger, {last.name: end}) for end in ends[last.name])
            if abs(upper - lower) >= MIN_OPENING:
                break
        else:
            return {}
        curls = 1.0 if upper < lower else -1.0
        sides: dict[str, float | None] = {}
        for name, both in ends.items():
            direction = curls * float(axes[name] @ axes[last.name])
            sides[name] = (
                None if abs(direction) < MIN_PARALLEL_COSINE else both[0 if direction > 0.0 else 1]
            )
        return sides

    def _length(self, finger: Sequence[Joint], at: Mapping[str, float]) -> float:
        """Return the distance of a finger's tip from its first joint [m]."""
        frames = self._frames(at)
        tip = self._outermost(finger, frames).mean(axis=0)
        return float(np.linalg.norm(tip - frames[finger[0].child][:3, 3]))

    def openness(self, at: Mapping[str, float]) -> float:
        """Return a measure of how open the hand is [m].

        It is the mean distance between the tips plus their mean distance from the palm; for a single finger, the
        distance from the fixed side.
        """
        frames = self._frames(at)
        if len(self._fingers) == 1:
            return self._to_fixed_side(frames)
        tips = self._tips(frames)
        gaps = [float(np.linalg.norm(a - b)) for a, b in combinations(tips, 2)]
        distances = [float(np.linalg.norm(tip)) for tip in tips]
        return sum(gaps) / len(gaps) + sum(distances) / len(distances)

    def middle(self, at: Mapping[str, float]) -> Floats:
        """Return (3,) the mean position of the tips in the palm's frame [m]."""
        middle: Floats = np.mean(self._tips(self._frames(at)), axis=0)
        return middle

    def _frames(self, at: Mapping[str, float]) -> dict[str, Floats]:
        """Return link -> (4, 4) transform from its frame to the palm's."""
        frames = link_frames(self._body, {name: np.array([value]) for name, value in at.items()})
        to_palm = np.linalg.inv(frames[self._palm][0])
        return {name: to_palm @ frame[0] for name, frame in frames.items()}

    def _tips(self, frames: Mapping[str, Floats]) -> list[Floats]:
        return [self._outermost(finger, frames).mean(axis=0) for finger in self._fingers]

    def _outermost(self, finger: Sequence[Joint], frames: Mapping[str, Floats]) -> Floats:
        """Return (n, 3) points of a finger's tip in the palm's frame [m]; without a shape, its last frame's origin."""
        last = finger[-1].child
        frame, points = frames[last], self._points[last]
        if len(points) == 0:
            return frame[None, :3, 3]
        inside = points @ frame[:3, :3].T + frame[:3, 3]
        begin = frame[:3, 3] if len(self._fingers) == 1 else np.zeros(3)
        direction = inside.mean(axis=0) - begin
        if float(np.linalg.norm(direction)) <= 1e-6:
            return np.asarray(inside)
        heights = inside @ (direction / np.linalg.norm(direction))
        return np.asarray(inside[heights >= heights.max() - TIP_FRACTION * np.ptp(heights)])

    def _to_fixed_side(self, frames: Mapping[str, Floats]) -> float:
        """Return the distance of a single finger's tip from the fixed side [m]; 0 if that has no shape."""
        points = self._outermost(self._fingers[0], frames)
        distances = [
            _distance(geometry, points, frames[link])
            for link, geometries in self._shapes.items()
            for geometry in geometries
            if geometry.kind is not ShapeKind.PLANE
        ]
        return min(distances, default=0.0)


def _distance(geometry: Geometry, points: Floats, frame: Floats) -> float:
    """Return the mean signed distance of points from a convex shape [m]; negative inside."""
    to_shape = np.linalg.inv(frame @ matrix_of(geometry.pose))
    local = points @ to_shape[:3, :3].T + to_shape[:3, 3]
    if geometry.hull is None:
        beyond = np.abs(local) - _half(geometry)
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        return float(np.mean(outside + np.minimum(beyond.max(axis=1), 0.0)))
    a, b, c = (geometry.hull.vertices[geometry.hull.faces[:, corner]] for corner in range(3))
    normals = np.cross(b - a, c - a)
    sizes = np.linalg.norm(normals, axis=1)
    normals, a = normals[sizes > 0.0] / sizes[sizes > 0.0, None], a[sizes > 0.0]
    return float(np.mean((local @ normals.T - np.einsum("fi,fi->f", normals, a)).max(axis=1)))


def _half(geometry: Geometry) -> Floats:
    """Return (3,) half the side lengths of the bounding box of a shape that is not a mesh [m]."""
    size = np.asarray(geometry.size, np.float64)
    match geometry.kind:
        case ShapeKind.BOX:
            return size / 2.0
        case ShapeKind.SPHERE | ShapeKind.ELLIPSOID:
            return np.broadcast_to(size, (3,))
        case ShapeKind.CAPSULE:
            return np.array([size[0], size[0], size[1] / 2.0 + size[0]])
    return np.array([size[0], size[0], size[1] / 2.0])
