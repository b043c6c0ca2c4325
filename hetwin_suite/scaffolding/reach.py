"""Where the links and the surfaces of a robot are, for given joint positions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from transforms3d.quaternions import quat2mat

from hetwin_core.ensemble.scene.shapes import ShapeKind
from hetwin_core.ensemble.scene.values import Floats
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
"""What moves stays so far above the floor [m]; what does not may stand on it."""


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
