"""The wheels of a differential drive: their speeds for a velocity of the base, and odometry from their rotation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from transforms3d.quaternions import rotate_vector

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.scenario.robot import Wheels
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats, ShapeKind
from hetwin_core.kinematics.planar import PlanarPose
from model_nodes.main_physics.world.description import (
    IDENTITY,
    Body,
    Geometry,
    Joint,
    JointKind,
    Pose,
)
from model_nodes.main_physics.world.transforms import compose, rotate

_MIN_SIDEWAYS = 0.99
"""Minimum sideways component of a wheel's axis, a unit vector."""
_RADIUS_TOLERANCE = 0.02
"""Maximum relative difference of the wheels' radii."""


@dataclass(frozen=True, slots=True)
class DifferentialDrive:
    """Wheels on two sides of a base that cannot move sideways; x of the root link is forward.

    Attributes:
        left, right: names of the joints.
        radius: radius of the wheels [m].
        separation: distance between the two sides [m].
        axle: forward distance of the midpoint between the wheels from the root link's origin [m].
        signs: (n,) for the joints of the left side, then the right one: 1 if a positive velocity rolls forward, else
            -1.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    radius: float
    separation: float
    axle: float
    signs: Floats

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, those of the left side first."""
        return self.left + self.right

    def wheel_velocities(self, forward: float, turn: float) -> Floats:
        """Return (n,) velocities of the joints [rad/s].

        Args:
            forward: velocity of the midpoint between the wheels [m/s].
            turn: angular velocity about z, counter-clockwise [rad/s].
        """
        difference = turn * self.separation / 2.0
        sides = [forward - difference] * len(self.left) + [forward + difference] * len(self.right)
        velocities: Floats = self.signs * np.array(sides) / self.radius
        return velocities

    def motion(self, rotations: Floats) -> tuple[float, float]:
        """Return forward distance [m] and yaw [rad] for rotations (n,) of the joints [rad]; or both per second."""
        # for a few wheels lists are faster
        distances = (self.signs * rotations * self.radius).tolist()
        count = len(self.left)
        left, right = sum(distances[:count]) / count, sum(distances[count:]) / len(self.right)
        return (left + right) / 2.0, (right - left) / self.separation


class WheelOdometry:
    """Pose of a base from the rotation of its wheels, assuming that they do not slip.

    Args:
        drive: the wheels.
        positions: (n,) initial positions of the wheels' joints [rad]; the root link is at the origin then.
    """

    def __init__(self, drive: DifferentialDrive, positions: Floats) -> None:
        self._drive = drive
        self._positions = positions.copy()
        self._axle = PlanarPose(drive.axle)
        self._twist = (0.0, 0.0)

    def advance(self, positions: Floats, velocities: Floats) -> None:
        """Advance to positions (n,) [rad] and velocities (n,) [rad/s] of the wheels' joints."""
        distance, yaw = self._drive.motion(positions - self._positions)
        self._positions = positions.copy()
        self._axle = self._axle.after(distance, yaw)
        self._twist = self._drive.motion(velocities)

    @property
    def state(self) -> Floats:
        """(13,) pose of the root link in the frame of its start, and twist along its own axes."""
        return odometry_state(
            self._axle.offset(-self._drive.axle, 0.0), *self._twist, self._drive.axle
        )


def odometry_state(pose: PlanarPose, forward: float, turn: float, axle: float = 0.0) -> Floats:
    """Return (13,) pose of a root link, and its twist along its own axes.

    Args:
        pose: pose of the root link.
        forward: velocity of a point on the root's x axis, along that axis [m/s].
        turn: angular velocity about z [rad/s].
        axle: x of that point in the root link [m]; the point does not move sideways.
    """
    state = np.zeros(POSE_SIZE)
    state[:7] = pose.in_space
    state[7], state[8], state[12] = forward, -turn * axle, turn
    return state


def differential_drive(body: Body, wheels: Wheels) -> DifferentialDrive:
    """Return the wheels of a robot, with radius and separation; by default those of the URDF.

    Raises:
        BadInput: if a joint does not exist or is not a wheel, or a dimension cannot be determined.
    """
    left = [_wheel(body, name, f"robot.wheels.left.{i}") for i, name in enumerate(wheels.left)]
    right = [_wheel(body, name, f"robot.wheels.right.{i}") for i, name in enumerate(wheels.right)]
    for i, joint in enumerate(right):
        if joint in left:
            raise BadInput(
                "this wheel is on both sides",
                where=f"robot.wheels.right.{i}",
                found=joint.name,
                expected="each wheel once",
            )
    frames = _frames(body)
    centres = {j.name: _centre(frames[j.child], j) for j in (*left, *right)}
    signs = [_sign(frames[j.child], j) for j in (*left, *right)]
    return DifferentialDrive(
        tuple(joint.name for joint in left),
        tuple(joint.name for joint in right),
        _radius(body, [*left, *right]) if wheels.radius is None else wheels.radius,
        _separation(left, right, centres) if wheels.separation is None else wheels.separation,
        float(np.mean([centre[0] for centre in centres.values()])),
        np.array(signs),
    )


def with_tyres(body: Body, wheels: Wheels | None) -> Body:
    """Return a robot whose wheels touch the floor over the width of their tyres, if given.

    Raises:
        BadInput: if a joint of the wheels does not exist.
    """
    if wheels is None or wheels.tyre_width is None:
        return body
    width = wheels.tyre_width
    tyres = {
        _wheel(body, name, f"robot.wheels.{side}.{i}").child
        for side, names in (("left", wheels.left), ("right", wheels.right))
        for i, name in enumerate(names)
    }
    links = tuple(
        replace(link, geometries=tuple(replace(g, touches_over=width) for g in link.geometries))
        if link.name in tyres
        else link
        for link in body.links
    )
    return replace(body, links=links)


def _wheel(body: Body, name: str, where: str) -> Joint:
    hinges = {joint.name: joint for joint in body.driven_joints if joint.kind is JointKind.HINGE}
    if name not in hinges:
        raise BadInput(
            "the robot has no such joint that turns and is driven",
            where=where,
            found=name,
            expected=one_of(name, hinges),
        )
    return hinges[name]


def _frames(body: Body) -> dict[str, Pose]:
    """Return the pose of each link in the root link's frame with all joints at zero."""
    parents = {joint.child: joint.parent for joint in body.joints}
    frames: dict[str, Pose] = {}
    for link in body.links:  # parents come before their children
        parent = parents.get(link.name)
        frames[link.name] = IDENTITY if parent is None else compose(frames[parent], link.pose)
    return frames


def _centre(frame: Pose, joint: Joint) -> Floats:
    return np.array(compose(frame, (*joint.anchor, 1.0, 0.0, 0.0, 0.0))[:3])


def _sign(frame: Pose, joint: Joint) -> float:
    sideways = rotate(frame, joint.axis)[1]
    if abs(sideways) < _MIN_SIDEWAYS:
        raise BadInput(
            "this wheel does not roll forward, along x of the root link",
            where="robot.wheels",
            found=f"{joint.name}, whose axis is {[round(x, 3) for x in rotate(frame, joint.axis)]} there",
            expected="an axis along y",
        )
    return math.copysign(1.0, sideways)


def _separation(left: Sequence[Joint], right: Sequence[Joint], centres: dict[str, Floats]) -> float:
    sides = [float(np.mean([centres[j.name][1] for j in side])) for side in (left, right)]
    separation = sides[0] - sides[1]
    if separation < 1e-6:
        raise BadInput(
            "the left wheels are not left of the right ones",
            where="robot.wheels",
            found=f"left at y = {sides[0]:.3f} m, right at {sides[1]:.3f} m",
            expected="left and right as seen along x of the root link, or separation in m",
        )
    return separation


def _radius(body: Body, joints: Sequence[Joint]) -> float:
    links = {link.name: link for link in body.links}
    radii = {}
    for joint in joints:
        geometries = links[joint.child].geometries
        rolling = [g for g in geometries if g.collides] or list(geometries)
        radii[joint.name] = max((_extent(g, joint) for g in rolling), default=0.0)
    largest, smallest = max(radii.values()), min(radii.values())
    if smallest < (1.0 - _RADIUS_TOLERANCE) * largest or largest == 0.0:
        raise BadInput(
            "the URDF does not give the wheels one radius",
            where="robot.wheels.radius",
            found=", ".join(f"{name}: {radius:.4f} m" for name, radius in radii.items()),
            expected="radius: of all wheels, in m",
        )
    return float(np.mean(list(radii.values())))


def _extent(geometry: Geometry, joint: Joint) -> float:
    """Return the distance that a round geometry or a mesh extends from the joint's axis [m]; 0 for other shapes."""
    axis, anchor = np.array(joint.axis), np.array(joint.anchor)

    def distances_from_axis(points: Floats) -> Floats:
        relative = np.atleast_2d(points) - anchor
        distances: Floats = np.linalg.norm(relative - np.outer(relative @ axis, axis), axis=1)
        return distances

    centre = float(distances_from_axis(np.array(geometry.pose[:3]))[0])
    match geometry.kind:
        case ShapeKind.SPHERE | ShapeKind.CYLINDER | ShapeKind.CAPSULE:
            return centre + geometry.size[0]
        case ShapeKind.ELLIPSOID:
            local_axis = np.abs(rotate_vector(axis, _conjugate(geometry.pose)))
            return centre + max(
                s for s, a in zip(geometry.size, local_axis, strict=True) if a < _MIN_SIDEWAYS
            )
        case ShapeKind.MESH if geometry.hull is not None:
            points = [rotate(geometry.pose, vertex) for vertex in geometry.hull.vertices]
            return float(distances_from_axis(np.array(points) + np.array(geometry.pose[:3])).max())
    return 0.0


def _conjugate(pose: Pose) -> tuple[float, float, float, float]:
    return (pose[3], -pose[4], -pose[5], -pose[6])
