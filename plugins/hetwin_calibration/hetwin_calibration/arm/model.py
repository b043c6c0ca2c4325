"""Positions of markers on a chain's end as a function of small errors of the chain, base pose and marker positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hetwin_suite.robot import Frame, Screws, Segment, frame_of

Floats = NDArray[np.float64]

BASE = 6
"""Number of base parameters: a translation [m] and a rotation vector [rad] relative to the assumed base."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Small errors of a chain, each of which displaces one joint's frame in one direction of (translation, rotation).

    Attributes:
        joints: index of the joint's segment, for each of e errors.
        directions: (e, 6) unit vectors.
        sd: (e,) prior standard deviations [m or rad].
    """

    joints: tuple[int, ...]
    directions: Floats
    sd: Floats

    def of_joints(self, values: Floats) -> dict[int, Floats]:
        """Return the total translation [m] and rotation vector [rad] (6,) of each joint, by index of its segment.

        Args:
            values: (e,) sizes of the errors.
        """
        sums: dict[int, Floats] = {}
        for joint, direction, value in zip(
            self.joints, self.directions, values.tolist(), strict=True
        ):
            sums[joint] = sums.get(joint, np.zeros(6)) + value * direction
        return sums


OFFSET_SD = 0.05
"""Usual offset of a joint [rad or m]."""
SHAPE_SD = 0.01
"""Usual size of all other errors [rad and m]."""


def offsets_of(segments: Sequence[Segment]) -> Errors:
    """Return the offsets of a chain's joints: rotations about their axes, or translations along them."""
    moving = [i for i, segment in enumerate(segments) if segment.joint]
    directions = np.array([_along(segments[i]) for i in moving])
    return Errors(tuple(moving), directions, np.full(len(moving), OFFSET_SD))


def all_errors_of(segments: Sequence[Segment]) -> Errors:
    """Return the offsets of a chain's joints, and all other small errors of the poses of their axes."""
    offsets = offsets_of(segments)
    joints, directions = list(offsets.joints), [*offsets.directions]
    for i, along in zip(offsets.joints, offsets.directions, strict=True):
        # Five directions orthogonal to that of the offset.
        _, _, basis = np.linalg.svd(along[None])
        joints += [i] * 5
        directions += [*basis[1:]]
    sd = np.concatenate((offsets.sd, np.full(len(joints) - len(offsets.sd), SHAPE_SD)))
    return Errors(tuple(joints), np.array(directions), sd)


def no_errors() -> Errors:
    """Return an empty set of errors."""
    return Errors((), np.zeros((0, 6)), np.zeros(0))


def _along(segment: Segment) -> Floats:
    axis = np.asarray(segment.axis, np.float64)
    nothing = np.zeros(3)
    return np.concatenate((axis, nothing) if segment.slides else (nothing, axis))


class MarkerModel:
    """Positions of k markers on a chain's end, in m postures.

    The parameters are the six numbers of the base, the positions of the markers on the end (3 each), and the errors.

    Args:
        segments: segments of the chain.
        errors: possible errors of the chain.
        positions: (m, n) joint positions [rad or m].
        base: assumed pose of the base.
        markers: number of markers.
    """

    def __init__(
        self,
        segments: Sequence[Segment],
        errors: Errors,
        positions: Floats,
        base: Frame,
        markers: int,
    ) -> None:
        self._segments, self._errors, self._base = segments, errors, base
        screws = Screws(segments)
        self._positions = positions @ screws.coupling.T + screws.offsets
        self._markers = markers
        self._fixed = [frame_of(segment.pose).matrix for segment in segments]
        self.count = BASE + 3 * markers + len(errors.joints)

    def place(self, parameters: Floats) -> Floats:
        """Return the positions (m, k, 3) of the markers in the frame of the measurements [m]."""
        ends, _ = self._walk(parameters)
        local = parameters[BASE : BASE + 3 * self._markers].reshape(-1, 3)
        turned: Floats = np.einsum("mij,kj->mki", ends[:, :3, :3], local)
        return turned + ends[:, None, :3, 3]

    def derivatives(self, parameters: Floats) -> Floats:
        """Return the Jacobian (m, k, 3, p) of the markers' positions; exact if the errors are 0."""
        ends, frames = self._walk(parameters)
        places = self.place(parameters)
        m, k = places.shape[:2]
        result = np.zeros((m, k, 3, self.count))
        result[..., :BASE] = _by_frame(frames[-1], places)
        for i in range(k):
            result[:, i, :, BASE + 3 * i : BASE + 3 * i + 3] = ends[:, :3, :3]
        first = BASE + 3 * k
        for i, (joint, direction) in enumerate(
            zip(self._errors.joints, self._errors.directions, strict=True)
        ):
            result[..., first + i] = _by_frame(frames[joint], places) @ direction
        return result

    def base_at(self, parameters: Floats) -> Frame:
        """Return the pose of the base."""
        return self._base.before(small(parameters[:BASE]))

    def _walk(self, parameters: Floats) -> tuple[Floats, dict[int, Floats]]:
        """Return the poses (m, 4, 4) of the end, and of the joints with errors, by segment; -1: the base."""
        errors = self._errors.of_joints(parameters[BASE + 3 * self._markers :])
        whole = np.repeat(self.base_at(parameters).matrix[None], len(self._positions), axis=0)
        frames = {-1: whole}
        moving = 0
        for i, segment in enumerate(self._segments):
            whole = whole @ self._fixed[i]
            if i in errors:
                whole = whole @ small(errors[i]).matrix
                frames[i] = whole
            if segment.joint:
                whole = whole @ _moved(segment, self._positions[:, moving])
                moving += 1
        return whole, frames


def _by_frame(frames: Floats, places: Floats) -> Floats:
    """Return the Jacobian (m, k, 3, 6) of positions (m, k, 3) by a small motion of frames (m, 4, 4) that carry them."""
    rotation = frames[:, None, :3, :3]
    arms = places - frames[:, None, :3, 3]
    turned = np.cross(np.swapaxes(rotation, 2, 3), arms[:, :, None, :])
    return np.concatenate(
        (np.broadcast_to(rotation, (*places.shape, 3)), np.swapaxes(turned, 2, 3)), axis=3
    )


def _moved(segment: Segment, positions: Floats) -> Floats:
    """Return the transforms (m, 4, 4) of a joint at positions (m,)."""
    matrices = np.repeat(np.eye(4)[None], len(positions), axis=0)
    axis = np.asarray(segment.axis, np.float64)
    if segment.slides:
        matrices[:, :3, 3] = positions[:, None] * axis
        return matrices
    matrices[:, :3, :3] = rotations(positions[:, None] * axis)
    anchor = np.asarray(segment.anchor, np.float64)
    matrices[:, :3, 3] = anchor - matrices[:, :3, :3] @ anchor
    return matrices


def small(motion: Floats) -> Frame:
    """Return the transform of a motion (6,): a translation [m] and a rotation vector [rad]."""
    return Frame(np.asarray(motion[:3]), rotations(motion[None, 3:])[0])


def rotations(vectors: Floats) -> Floats:
    """Return the rotation matrices (m, 3, 3) of rotation vectors (m, 3) [rad], by Rodrigues' formula."""
    angles = np.linalg.norm(vectors, axis=1)
    axes = vectors / np.maximum(angles, 1e-300)[:, None]
    x, y, z = axes.T
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
    s, c = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.asarray(np.eye(3) + s * cross + (1.0 - c) * (cross @ cross))
