"""A chain of links from a robot's root to one of its links, as MuJoCo's bare bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import mujoco as mj
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Segment:
    """A link and the joint that moves it.

    Attributes:
        link: name of the link.
        pose: (7) x y z [m], qw qx qy qz in the link before it, with the joint at 0.
        joint: name of the joint; empty: the link is fixed to the one before it.
        slides: whether the joint slides; else it turns.
        axis: (3) unit vector in the link's frame.
        anchor: (3) point on the axis of a joint that turns, in the link's frame [m].
        lower, upper: limits of the joint [rad or m]; infinite if there are none.
    """

    link: str
    pose: Sequence[float]
    joint: str = ""
    slides: bool = False
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    anchor: Sequence[float] = (0.0, 0.0, 0.0)
    lower: float = -inf
    upper: float = inf


class Placed(NamedTuple):
    """Where the chain's end is, in the frame of its root.

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
        joints: (n) names.
        lower, upper: (n,) limits [rad or m].
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        moving = [segment for segment in segments if segment.joint]
        self.joints = tuple(segment.joint for segment in moving)
        self.lower: Floats = np.array([segment.lower for segment in moving], np.float64)
        self.upper: Floats = np.array([segment.upper for segment in moving], np.float64)
        self._model = _compile(segments)
        self._data = mj.MjData(self._model)
        self._end = len(segments)  # the root is body 0
        self._jacobian = np.zeros((6, len(moving)))

    def place(self, positions: Floats) -> Placed:
        """Return where the end is for these joint positions (n,) [rad or m]."""
        data = self._data
        data.qpos[:] = positions
        mj.mj_kinematics(self._model, data)
        end = self._end
        return Placed(data.xpos[end].copy(), data.xmat[end].reshape(3, 3).copy())

    def jacobian(self) -> Floats:
        """(6, n) velocity and angular velocity of the end per joint velocity, where it was placed last."""
        mj.mj_comPos(self._model, self._data)
        jacobian = self._jacobian
        mj.mj_jacBody(self._model, self._data, jacobian[:3], jacobian[3:], self._end)
        return jacobian.copy()

    def clipped(self, positions: Floats) -> Floats:
        """Return the positions within the limits that are nearest to these, each (n,)."""
        return np.clip(positions, self.lower, self.upper)


def _compile(segments: Sequence[Segment]) -> mj.MjModel:
    spec = mj.MjSpec()
    body = spec.worldbody
    for i, segment in enumerate(segments):
        pose = list(segment.pose)
        body = body.add_body(name=f"{i}", pos=pose[:3], quat=pose[3:])
        # MuJoCo wants masses of what moves; kinematics does not use them.
        body.mass, body.inertia, body.explicitinertial = 1.0, [1.0, 1.0, 1.0], True
        if segment.joint:
            kind = mj.mjtJoint.mjJNT_SLIDE if segment.slides else mj.mjtJoint.mjJNT_HINGE
            body.add_joint(type=kind, axis=list(segment.axis), pos=list(segment.anchor))
    return spec.compile()
