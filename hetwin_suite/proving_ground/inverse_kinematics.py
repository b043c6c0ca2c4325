"""Inverse kinematics by damped least squares on the arm's Jacobian."""

from __future__ import annotations

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.errors import RunFailed
from hetwin_core.ensemble.scene.values import Floats

DOWN = np.array([0.0, 0.0, 1.0, 0.0])
"""Hand pointing down (its z along the world's -z, its y along the world's y), as w, x, y, z."""


class Reacher:
    """Solves the inverse kinematics of one arm for one point of its hand.

    Args:
        model: compiled world that contains the arm.
        joints: names of the arm's joints, each of one degree of freedom.
        link: the hand's link.
        offset: (3,) the point in the link's frame, in metres.
    """

    def __init__(
        self,
        model: mj.MjModel,
        joints: tuple[str, ...],
        link: str,
        offset: tuple[float, ...],
    ) -> None:
        self._model = model
        self._data = mj.MjData(model)
        self._body = model.body(link).id
        self._offset = np.array(offset)
        ids = [model.joint(name).id for name in joints]
        self._positions = model.jnt_qposadr[ids]
        self._velocities = model.jnt_dofadr[ids]
        self._limits = model.jnt_range[ids]

    def point(self, joints: Floats) -> Floats:
        """Return (3,) the position of the hand's point in the world for the joint positions `joints`."""
        self._place(joints)
        rotation = self._data.xmat[self._body].reshape(3, 3)
        return np.asarray(self._data.xpos[self._body] + rotation @ self._offset)

    def solve(self, target: Floats, start: Floats, quaternion: Floats = DOWN) -> Floats:
        """Return joint positions for the point at `target` (3,) and the hand's orientation `quaternion` (4,).

        Args:
            start: (n,) initial guess; the solution is near it.

        Raises:
            RunFailed: if no pose within the joint limits is closer than 1e-5 m and rad.
        """
        joints = start.copy()
        for _ in range(200):
            error = self._error(joints, target, quaternion)
            if np.linalg.norm(error) < 1e-6:
                break
            jacobian = self._jacobian()
            square = jacobian @ jacobian.T + 1e-6 * np.eye(6)
            step = jacobian.T @ np.linalg.solve(square, error)
            step *= min(1.0, 0.2 / max(float(np.abs(step).max()), 1e-12))
            joints = np.clip(joints + step, self._limits[:, 0], self._limits[:, 1])
        missing = float(np.linalg.norm(self._error(joints, target, quaternion)))
        if missing > 1e-5:
            raise RunFailed(
                "inverse kinematics",
                "solve",
                0,
                f"the hand cannot reach {np.round(target, 4).tolist()}; "
                f"the remaining error is {missing:.3g} (m, rad)",
            )
        return joints

    def _place(self, joints: Floats) -> None:
        self._data.qpos[self._positions] = joints
        mj.mj_kinematics(self._model, self._data)
        mj.mj_comPos(self._model, self._data)

    def _error(self, joints: Floats, target: Floats, quaternion: Floats) -> Floats:
        """Return (6,) the error in metres and radians, along the world's axes."""
        error = np.zeros(6)
        error[:3] = target - self.point(joints)
        inverse, missing = np.zeros(4), np.zeros(4)
        mj.mju_negQuat(inverse, self._data.xquat[self._body])
        mj.mju_mulQuat(missing, quaternion, inverse)
        mj.mju_quat2Vel(error[3:], missing, 1.0)
        return error

    def _jacobian(self) -> Floats:
        position = np.zeros((3, self._model.nv))
        rotation = np.zeros((3, self._model.nv))
        at = self._data.xpos[self._body] + self._data.xmat[self._body].reshape(3, 3) @ self._offset
        mj.mj_jac(self._model, self._data, position, rotation, at, self._body)
        return np.vstack([position[:, self._velocities], rotation[:, self._velocities]])
