"""Reads the poses and twists of all frames."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import conjugate, rotate
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats
from model_nodes.main_physics.engines.mujoco import sleep
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables

_BODY = mj.mjtObj.mjOBJ_XBODY.value


class FrameReader:
    """Reads poses and twists from MuJoCo's data, after its position and velocity stages at the current time.

    Attributes:
        sensed: (n, 13) view of the poses and twists of the moving frames.
    """

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        self._model, self._data = model, data
        self._xpos, self._xquat, self._cvel = data.xpos, data.xquat, data.cvel
        self._tree_centre, self._roots = data.subtree_com, model.body_rootid
        self._qpos, self._qvel = data.qpos, data.qvel
        self._frames = tables.body_frames
        self._is_moving = (tables.body_frames >= 0) & (tables.body_frames < tables.moving)
        self._velocity = np.zeros(6)
        self.sensed: Floats = data.sensordata.reshape(-1, POSE_SIZE)
        self._still = tables.frame_bodies[tables.moving :]

    def read(self) -> None:
        """Update `sensed` while MuJoCo's sensors are off; a frame that is asleep keeps its pose with zero velocity."""
        bodies = np.flatnonzero(sleep.awake(self._data) & self._is_moving)
        positions, velocity = self._xpos[bodies], self._cvel[bodies]
        # MuJoCo's velocities refer to the centre of mass of the whole tree.
        arm, omega = positions - self._tree_centre[self._roots[bodies]], velocity[:, :3]
        lever = omega[:, [1, 2, 0]] * arm[:, [2, 0, 1]] - omega[:, [2, 0, 1]] * arm[:, [1, 2, 0]]
        parts = (positions, self._xquat[bodies], velocity[:, 3:] + lever, omega)
        self.sensed[:, 7:] = 0.0
        self.sensed[self._frames[bodies]] = np.concatenate(parts, axis=1)

    def still_poses(self) -> Floats:
        """Return (m, 13) poses of the frames that never move."""
        out = np.zeros((len(self._still), POSE_SIZE))
        out[:, 0:3] = self._xpos[self._still]
        out[:, 3:7] = self._xquat[self._still]
        return out

    def state(self, body: int) -> list[float]:
        """Return (13,) pose and twist of a body."""
        mj.mj_objectVelocity(self._model, self._data, _BODY, body, self._velocity, 0)
        *omega, x, y, z = self._velocity.tolist()
        return [*self._xpos[body].tolist(), *self._xquat[body].tolist(), x, y, z, *omega]

    def place(self, free: FreeBody, pose: Sequence[float]) -> bool:
        """Set (13,) pose and twist of a free body; returns whether that changed anything."""
        q, v = free.position, free.velocity
        local = rotate(conjugate(pose[3:7]), pose[10:13])
        position, velocity = [*pose[:7]], [*pose[7:10], *local]
        qpos, qvel = self._qpos[q : q + 7], self._qvel[v : v + 6]
        if qpos.tolist() == position and qvel.tolist() == velocity:
            return False
        qpos[:] = position
        qvel[:] = velocity
        return True
