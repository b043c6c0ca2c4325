"""Rigid transforms as seven numbers x y z qw qx qy qz, and repairs of inertias so that engines accept them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from transforms3d.euler import euler2quat
from transforms3d.quaternions import mat2quat, qinverse, qmult, quat2mat, rotate_vector

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.world.description import IDENTITY, Inertial, Pose, Vector


def pose_of(numbers: Sequence[float] | Floats) -> Pose:
    """Convert seven numbers to a pose with a unit quaternion."""
    x, y, z, *quaternion = (float(n) for n in numbers[:7])
    norm = math.sqrt(sum(q * q for q in quaternion))
    w, i, j, k = (q / norm for q in quaternion)
    return (x, y, z, w, i, j, k)


def from_rpy(position: Sequence[float], rpy: Sequence[float]) -> Pose:
    """Return a pose from a position [m] and fixed-axis roll, pitch, yaw [rad], as in URDF and SDFormat."""
    if not any(rpy):
        return pose_of([*position, 1.0, 0.0, 0.0, 0.0])
    return pose_of([*position, *euler2quat(*rpy, axes="sxyz")])


def compose(outer: Sequence[float], inner: Sequence[float]) -> Pose:
    """Transform the pose `inner` from the frame `outer` to the parent frame of `outer`."""
    if tuple(outer) == IDENTITY:
        return pose_of(inner)
    position = np.asarray(outer[:3]) + rotate_vector(inner[:3], outer[3:7])
    return pose_of([*position, *qmult(outer[3:7], inner[3:7])])


def invert(pose: Sequence[float]) -> Pose:
    """Return the inverse transform."""
    inverse = qinverse(np.asarray(pose[3:7]))
    return pose_of([*(-rotate_vector(pose[:3], inverse)), *inverse])


def rotate(pose: Sequence[float], vector: Sequence[float]) -> Vector:
    """Rotate a vector from the axes of the frame `pose` to those of its parent frame."""
    x, y, z = (float(n) for n in rotate_vector(vector, pose[3:7]))
    return (x, y, z)


def inertia_matrix(inertial: Inertial) -> Floats:
    """Return (3, 3) inertia about the centre of mass [kg m^2], along the axes of `inertial.pose`."""
    ixx, iyy, izz, ixy, ixz, iyz = inertial.inertia
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def moved_inertial(frame: Pose, inertial: Inertial) -> Inertial:
    """Transform an inertia from `frame` to the parent frame of `frame`."""
    return Inertial(inertial.mass, compose(frame, inertial.pose), inertial.inertia)


def joined_inertials(parts: Sequence[Inertial]) -> Inertial:
    """Return mass and inertia of rigidly connected parts, along the axes of their common frame."""
    if len(parts) == 1:
        return parts[0]
    mass = sum(part.mass for part in parts)
    centres = [np.array(part.pose[:3]) for part in parts]
    weights = [part.mass / mass if mass > 0 else 1 / len(parts) for part in parts]
    centre = sum((w * c for w, c in zip(weights, centres, strict=True)), np.zeros(3))
    total = np.zeros((3, 3))
    for part, position in zip(parts, centres, strict=True):
        axes = quat2mat(part.pose[3:7])
        arm = position - centre
        total += axes @ inertia_matrix(part) @ axes.T
        total += part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    pose = pose_of([*centre, 1.0, 0.0, 0.0, 0.0])
    diagonal = (float(total[0, 0]), float(total[1, 1]), float(total[2, 2]))
    return Inertial(
        mass, pose, (*diagonal, float(total[0, 1]), float(total[0, 2]), float(total[1, 2]))
    )


MIN_MASS = 1e-6
"""Minimum mass of a link [kg]; lighter links get this mass."""
_MIN_RATIO = 1e-4
_MIN_MOMENT = 1e-10


def principal(inertial: Inertial) -> tuple[Inertial, str]:
    """Transform an inertia to its principal axes, and repair it if it is not physical.

    Moments that are not positive are raised to a small fraction of the largest one. If the moments violate the
    triangle inequality, the two smaller ones are raised until their sum equals the largest one.

    Returns:
        The inertia with zero products, and a description of the repairs (empty if there were none).
    """
    moments, axes = np.linalg.eigh(inertia_matrix(inertial))
    faults = []
    mass = inertial.mass
    if mass < MIN_MASS:
        faults.append(f"mass {mass:g} kg raised to {MIN_MASS:g} kg")
        mass = MIN_MASS
    minimum = max(_MIN_MOMENT, _MIN_RATIO * float(moments[2]))
    if moments[0] <= 0:
        faults.append(
            f"inertia with the principal moment {moments[0]:.3g} is not positive definite"
        )
    moments = np.maximum(moments, minimum)
    missing = moments[2] - moments[0] - moments[1]
    if missing > 1e-6 * moments[2]:
        faults.append("inertia violates the triangle inequality")
    if missing > 0:
        moments[:2] += missing / 2 + 1e-9 * moments[2]
    if np.linalg.det(axes) < 0:
        axes = -axes
    principal_axes = pose_of([0.0, 0.0, 0.0, *mat2quat(axes)])
    a, b, c = (float(m) for m in moments)
    repaired = Inertial(mass, compose(inertial.pose, principal_axes), (a, b, c, 0.0, 0.0, 0.0))
    return repaired, ", ".join(faults)
