"""Forward kinematics of many postures of a chain at once, in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Segment:
    """A link and the joint that moves it.

    Attributes:
        link: name of the link.
        pose: (7) x y z [m], qw qx qy qz in the previous link, with the joint at 0.
        joint: name of the joint; empty: the link is fixed to the previous one.
        slides: whether the joint is prismatic rather than revolute.
        axis: (3) unit vector in the link's frame.
        anchor: (3) point on the axis of a revolute joint, in the link's frame [m].
        lower, upper: limits of the joint [rad or m]; infinite without limits.
        follows: name of the joint that this one mimics; empty: it is independent.
        multiplier, offset: position = multiplier * position of the mimicked joint + offset.
    """

    link: str
    pose: Sequence[float]
    joint: str = ""
    slides: bool = False
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    anchor: Sequence[float] = (0.0, 0.0, 0.0)
    lower: float = -inf
    upper: float = inf
    follows: str = ""
    multiplier: float = 1.0
    offset: float = 0.0

    @property
    def leader(self) -> str:
        """The independent joint that moves the link."""
        return self.follows or self.joint


Floats = NDArray[np.float64]


_ROUNDING = 1e-16
"""Magnitude below which entries of rotations are rounding errors of 0."""


class Frame(NamedTuple):
    """A rigid transform: position (3,) [m] and rotation (3, 3)."""

    position: Floats
    rotation: Floats

    def before(self, other: Frame) -> Frame:
        """Return the product with `other`, which is given in this frame."""
        return Frame(self.position + self.rotation @ other.position, self.rotation @ other.rotation)

    @property
    def matrix(self) -> Floats:
        """(4, 4) homogeneous matrix."""
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = self.rotation, self.position
        return matrix


class EndPoses(NamedTuple):
    """Pose and Jacobian of the chain's end in m postures.

    Attributes:
        position: (3, m) [m].
        rotation: (3, 3, m).
        jacobian: (6, n, m) linear and angular velocity of the end per joint velocity.
    """

    position: Floats
    rotation: Floats
    jacobian: Floats


class Screws:
    """A chain of n joints about or along the z axes of frames, with fixed transforms between them.

    Postures are columns: the last axis of arrays runs over the postures, so that each operation is contiguous along
    it.

    Args:
        segments: from the first link after the root to the chain's end.

    Attributes:
        between: (n + 1) the transforms before each joint, and the one from the last joint to the end.
        slides: (n,) whether the joint is prismatic.
        coupling, offsets: (n, k) and (n,): positions of all joints = coupling @ positions of the k independent ones
            + offsets.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        moving = [segment for segment in segments if segment.joint]
        self.between = _between(segments)
        self.slides = [segment.slides for segment in moving]
        self.coupling, self.offsets = coupling_of(segments)

    def place(self, positions: Floats) -> tuple[Floats, Floats]:
        """Return position (3, m) [m] and rotation (3, 3, m) of the end for joint positions (k, m)."""
        position, rotation, _ = self._walk(positions)
        return position, rotation

    def move(self, positions: Floats) -> EndPoses:
        """Return pose and Jacobian of the end for joint positions (k, m) [rad or m]."""
        position, rotation, axes = self._walk(positions)
        jacobian = np.zeros((6, len(self.slides), positions.shape[1]))
        for i, (at, axis) in enumerate(axes):
            if self.slides[i]:
                jacobian[:3, i] = axis
            else:
                jacobian[:3, i] = _cross(axis, position - at)
                jacobian[3:, i] = axis
        if self.coupling.shape[0] != self.coupling.shape[1] or self._coupled:
            jacobian = np.einsum("inm,nk->ikm", jacobian, self.coupling)
        return EndPoses(position, rotation, jacobian)

    @property
    def _coupled(self) -> bool:
        return not np.array_equal(self.coupling, np.eye(len(self.coupling)))

    def _walk(self, positions: Floats) -> tuple[Floats, Floats, list[tuple[Floats, Floats]]]:
        """The pose of the end, and the position (3, m) and direction (3, m) of each joint's axis."""
        joint_positions = self.coupling @ positions + self.offsets[:, None]
        first, m = self.between[0], positions.shape[1]
        position = np.repeat(first.position[:, None], m, axis=1)
        rotation = np.repeat(first.rotation[:, :, None], m, axis=2)
        axes: list[tuple[Floats, Floats]] = []
        for i, after in enumerate(self.between[1:]):
            x, y, z = rotation[:, 0], rotation[:, 1], rotation[:, 2]
            axes.append((position, z))
            if self.slides[i]:
                position = position + z * joint_positions[i]
            else:
                c, s = np.cos(joint_positions[i]), np.sin(joint_positions[i])
                x, y = c * x + s * y, c * y - s * x
            for part, axis in zip(after.position.tolist(), (x, y, z), strict=True):
                if part:
                    position = position + part * axis
            rotation = np.stack([_sum(column, x, y, z) for column in after.rotation.T], axis=1)
        return position, rotation, axes


def coupling_of(segments: Sequence[Segment]) -> tuple[Floats, Floats]:
    """Return coupling (n, k) and offsets (n,) from the independent joints' positions to those of all joints."""
    moving = [segment for segment in segments if segment.joint]
    free = free_joints(segments)
    coupling = np.zeros((len(moving), len(free)))
    for i, segment in enumerate(moving):
        coupling[i, free.index(segment.leader)] = segment.multiplier
    return coupling, np.array([segment.offset for segment in moving], np.float64)


def free_joints(segments: Sequence[Segment]) -> list[str]:
    """Return the names of the independent joints, in the order of the chain."""
    return list(dict.fromkeys(segment.leader for segment in segments if segment.joint))


def _between(segments: Sequence[Segment]) -> list[Frame]:
    frames, pending = [], Frame(np.zeros(3), np.eye(3))
    for segment in segments:
        pending = pending.before(frame_of(segment.pose))
        if not segment.joint:
            continue
        to_axis = Frame(np.asarray(segment.anchor, np.float64), _to_z(segment.axis))
        frames.append(pending.before(to_axis))
        back = to_axis.rotation.T
        pending = Frame(-back @ to_axis.position, back)
    return [*frames, pending]


def frame_of(pose: Sequence[float]) -> Frame:
    """Return the transform of a pose x y z [m], qw qx qy qz."""
    rotation = np.empty(9)
    quaternion = np.asarray(pose[3:], np.float64)
    mj.mju_quat2Mat(rotation, quaternion / np.linalg.norm(quaternion))
    return Frame(np.asarray(pose[:3], np.float64), rotation.reshape(3, 3))


def _to_z(axis: Sequence[float]) -> Floats:
    """(3, 3) a rotation whose z axis is this unit vector; the identity for z."""
    z = np.asarray(axis, np.float64)
    if np.array_equal(z, (0.0, 0.0, 1.0)):
        return np.eye(3)
    other = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(other, z)
    x /= np.linalg.norm(x)
    return np.column_stack((x, np.cross(z, x), z))


def _sum(factors: Floats, x: Floats, y: Floats, z: Floats) -> Floats:
    """(3, m) weighted sum of three (3, m); mostly one factor is 1 and the others are rounding errors."""
    a, b, c = factors.tolist()
    terms = [f * v for f, v in ((a, x), (b, y), (c, z)) if abs(f) > _ROUNDING]
    total: Floats = terms[0]
    for term in terms[1:]:
        total += term
    return total


def _cross(a: Floats, b: Floats) -> Floats:
    """(3, m) cross product of two (3, m)."""
    return np.stack(
        (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
    )
