"""A chain of links from a robot's root to one of its links, as plain MuJoCo bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

from hetwin_core.kinematics.chains.screws import Segment, coupling_of, free_joints

Floats = NDArray[np.float64]


class EndPose(NamedTuple):
    """Pose of the chain's end, in the frame of its root.

    Attributes:
        position: (3,) [m].
        rotation: (3, 3).
    """

    position: Floats
    rotation: Floats

    @property
    def pose(self) -> Floats:
        """(7,) x y z [m], qw qx qy qz."""
        quaternion = np.empty(4)
        mj.mju_mat2Quat(quaternion, self.rotation.ravel())
        return np.concatenate((self.position, quaternion))


class Chain:
    """Forward kinematics and Jacobian of n joints.

    Args:
        segments: from the first link after the root to the chain's end.

    Attributes:
        segments: as given.
        joints: (n) names of the independent joints.
        lower, upper: (n,) limits [rad or m].
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.segments = tuple(segments)
        self.joints = tuple(free_joints(segments))
        self.lower, self.upper = _limits(segments)
        self._model, self._end = _compile(segments), len(segments)  # the root is body 0
        self._moving = self.moving()

    def place(self, positions: Floats) -> EndPose:
        """Return the pose of the end for joint positions (n,) [rad or m]."""
        position, _ = self._moving.place(positions)
        return EndPose(position.copy(), self._moving.rotation.reshape(3, 3).copy())

    def moving(self) -> MovingEnd:
        """Return an evaluator of the end's pose and Jacobian, which reuses its buffers."""
        return MovingEnd(self._model, self._end, *coupling_of(self.segments))

    def clipped(self, positions: Floats) -> Floats:
        """Return the positions clipped to the limits, each (n,)."""
        return np.clip(positions, self.lower, self.upper)


class MovingEnd:
    """A chain's end in MuJoCo's own arrays, without copies.

    Args:
        model: model of the chain.
        end: id of the body at its end.
        coupling, offsets: (n, k) and (n,) of joints that mimic others.

    Attributes:
        rotation: (9,) rotation matrix of the end after the last `place`.
    """

    def __init__(self, model: mj.MjModel, end: int, coupling: Floats, offsets: Floats) -> None:
        self._model, self._data, self._end = model, mj.MjData(model), end
        is_uncoupled = np.array_equal(coupling, np.eye(len(coupling))) and not offsets.any()
        self._coupling, self._offsets = None if is_uncoupled else coupling, offsets
        self._positions, self.rotation = self._data.qpos, self._data.xmat[end]
        self._position, self._quaternion = self._data.xpos[end], self._data.xquat[end]
        self._jacobian = np.zeros((6, model.nv))
        self._linear, self._angular = self._jacobian[:3], self._jacobian[3:]

    def place(self, positions: Floats) -> tuple[Floats, Floats]:
        """Return position (3,) [m] and quaternion (4,) of the end for joint positions (k,) [rad or m]."""
        if self._coupling is not None:
            positions = self._coupling @ positions + self._offsets
        self._positions[:] = positions
        mj.mj_kinematics(self._model, self._data)
        return self._position, self._quaternion

    def jacobian(self) -> Floats:
        """(6, k) linear and angular velocity of the end per joint velocity, after the last `place`."""
        mj.mj_comPos(self._model, self._data)
        mj.mj_jacBody(self._model, self._data, self._linear, self._angular, self._end)
        return self._jacobian if self._coupling is None else self._jacobian @ self._coupling


def _limits(segments: Sequence[Segment]) -> tuple[Floats, Floats]:
    """(n,) lower and upper limits of the independent joints that also keep mimicking joints within theirs."""
    free = free_joints(segments)
    lower, upper = np.full(len(free), -np.inf), np.full(len(free), np.inf)
    for segment in segments:
        if segment.joint and segment.multiplier != 0.0:
            i = free.index(segment.leader)
            joint_limits = (segment.lower, segment.upper)
            ends = [(end - segment.offset) / segment.multiplier for end in joint_limits]
            lower[i], upper[i] = max(lower[i], min(ends)), min(upper[i], max(ends))
    return lower, upper


def _compile(segments: Sequence[Segment]) -> mj.MjModel:
    spec = mj.MjSpec()
    body = spec.worldbody
    for i, segment in enumerate(segments):
        pose = list(segment.pose)
        body = body.add_body(name=f"{i}", pos=pose[:3], quat=pose[3:])
        # MuJoCo requires masses of moving bodies; kinematics does not use them.
        body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        if segment.joint:
            kind = mj.mjtJoint.mjJNT_SLIDE if segment.slides else mj.mjtJoint.mjJNT_HINGE
            body.add_joint(type=kind, axis=list(segment.axis), pos=list(segment.anchor))
    return spec.compile()
