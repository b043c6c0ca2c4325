"""Poses with twists: composition, inversion, extrapolation.

A pose is 13 numbers, see `values.POSE_SIZE`. The arithmetic uses plain floats instead of arrays: on vectors of
three and four numbers they are several times as fast, and the same code gives every package the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats


def rotation_matrices(quaternions: Floats) -> Floats:
    """Rotation matrices (n, 3, 3) of unit quaternions w x y z (n, 4)."""
    w, x, y, z = quaternions.T
    rows = (
        (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    )
    return np.asarray(np.array(rows).transpose(2, 0, 1))


def rotation_matrix(quaternion: Sequence[float] | Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion w x y z."""
    w, x, y, z = (float(c) for c in quaternion)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )


def roll_pitch_yaw(quaternions: Floats) -> Floats:
    """Angles (n, 3) [rad] of unit quaternions w x y z (n, 4) about the fixed axes x, y and z, applied in this order.

    At a pitch of exactly 90 degrees up or down, roll and yaw are ambiguous and not usable.
    """
    w, x, y, z = quaternions.T
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=1)


def angles_between(first: Floats, second: Floats) -> Floats:
    """Angles (...) [rad] between quaternions w x y z (..., 4), which need not be of unit length."""
    squares = np.einsum("...i,...i->...", first, first) * np.einsum(
        "...i,...i->...", second, second
    )
    cosines = np.abs(np.einsum("...i,...i->...", first, second)) / np.maximum(
        np.sqrt(squares), 1e-12
    )
    return np.asarray(2.0 * np.arccos(np.minimum(cosines, 1.0)), np.float64)


Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
"""w x y z, of unit length."""


def rotate(q: Sequence[float], v: Sequence[float]) -> Vector:
    """Rotate a vector by a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    vx, vy, vz = v
    tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)
    ax, ay, az = vx + w * tx + y * tz, vy + w * ty + z * tx, vz + w * tz + x * ty
    return (ax - z * ty, ay - x * tz, az - y * tx)


def conjugate(q: Sequence[float]) -> Quaternion:
    """Inverse of a unit quaternion."""
    return (q[0], -q[1], -q[2], -q[3])


def multiply(a: Sequence[float], b: Sequence[float]) -> Quaternion:
    """Product of two quaternions (w, x, y, z)."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def cross(a: Sequence[float], b: Sequence[float]) -> Vector:
    """Cross product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def compose(parent: Floats, relative: Floats) -> Floats:
    """Transform a pose and twist from a moving parent's frame to the world.

    Args:
        parent: (13,) pose and twist of the parent in the world.
        relative: (13,) pose and twist in the parent's frame.

    Returns:
        (13,) pose and twist in the world.
    """
    return np.array(composed(parent.tolist(), relative.tolist()))


def composed(parent: Sequence[float], relative: Sequence[float]) -> tuple[float, ...]:
    """Like `compose`, on sequences of floats."""
    # inlined: this runs for every kinematic body at every step, where calls cost more than the arithmetic
    px, py, pz, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz = parent
    rx, ry, rz, sw, sx, sy, sz, ux, uy, uz, ox, oy, oz = relative
    q = (qw, qx, qy, qz)
    ax, ay, az = rotate(q, (rx, ry, rz))
    bx = by = bz = cx = cy = cz = 0.0
    if ux or uy or uz or ox or oy or oz:  # most bodies are at rest in their parent's frame
        bx, by, bz = rotate(q, (ux, uy, uz))
        cx, cy, cz = rotate(q, (ox, oy, oz))
    return (
        *(px + ax, py + ay, pz + az),
        qw * sw - qx * sx - qy * sy - qz * sz,
        qw * sx + qx * sw + qy * sz - qz * sy,
        qw * sy - qx * sz + qy * sw + qz * sx,
        qw * sz + qx * sy - qy * sx + qz * sw,
        vx + (wy * az - wz * ay) + bx,
        vy + (wz * ax - wx * az) + by,
        vz + (wx * ay - wy * ax) + bz,
        *(wx + cx, wy + cy, wz + cz),
    )


def relative_to(parent: Floats, world: Floats) -> Floats:
    """Transform a pose and twist from the world to a moving parent's frame; the inverse of `compose`.

    Args:
        parent: (13,) pose and twist of the parent in the world.
        world: (13,) pose and twist in the world.

    Returns:
        (13,) pose and twist in the parent's frame.
    """
    p, w = parent.tolist(), world.tolist()
    inverse = conjugate(p[3:7])
    offset = (w[0] - p[0], w[1] - p[1], w[2] - p[2])
    x, y, z = cross(p[10:13], offset)
    linear = (w[7] - p[7] - x, w[8] - p[8] - y, w[9] - p[9] - z)
    angular = (w[10] - p[10], w[11] - p[11], w[12] - p[12])
    orientation = multiply(inverse, w[3:7])
    twist = *rotate(inverse, linear), *rotate(inverse, angular)
    return np.array((*rotate(inverse, offset), *orientation, *twist))


def rotation_by(vector: Sequence[float]) -> Quaternion:
    """Quaternion of a rotation vector (axis times angle in rad)."""
    angle = math.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if angle < 1e-12:
        return (1.0, 0.5 * vector[0], 0.5 * vector[1], 0.5 * vector[2])
    s = math.sin(0.5 * angle) / angle
    return (math.cos(0.5 * angle), s * vector[0], s * vector[1], s * vector[2])


def rotation_vector(start: Floats, end: Floats) -> Floats:
    """(3,) the rotation vector [rad] from one orientation (4,) w x y z to another, in the world frame."""
    w, x, y, z = multiply(end.tolist(), conjugate(start.tolist()))
    if w < 0:
        w, x, y, z = -w, -x, -y, -z
    sine = float(np.sqrt(x * x + y * y + z * z))
    factor = 2.0 if sine < 1e-9 else 2.0 * float(np.arctan2(sine, w)) / sine
    return np.array((factor * x, factor * y, factor * z))


def normalized(q: Sequence[float]) -> Quaternion:
    """The unit quaternion in the direction of `q`."""
    n = math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return (q[0] / n, q[1] / n, q[2] / n, q[3] / n)


def extrapolate(pose: Floats, seconds: float) -> Floats:
    """Extrapolate a pose by its own constant twist.

    Args:
        pose: (13,) pose and twist.
        seconds: time from the pose to the result [s].

    Returns:
        (13,) pose at the later time, with the same twist.
    """
    if seconds == 0.0:
        return pose
    p = pose.tolist()
    orientation = normalized(multiply(rotation_by([seconds * w for w in p[10:13]]), p[3:7]))
    position = [p[i] + seconds * p[7 + i] for i in range(3)]
    return np.array((*position, *orientation, *p[7:13]))


def is_pose(data: Floats) -> bool:
    """Whether this is a finite pose with a unit quaternion."""
    if data.shape != (POSE_SIZE,):
        return False
    w, x, y, z = data[3:7].tolist()
    is_unit = abs(w * w + x * x + y * y + z * z - 1.0) < 1e-3
    return is_unit and (math.isfinite(data.dot(data)) or bool(np.isfinite(data).all()))
