"""Drives that pull joints towards their command with a limited effort.

Each is a spring and a damper to the commanded motion, and feeds forward what that motion needs: gravity, and the
inertia of the robot. So it is exact in free space, and gives way to what is stronger than its limit.
"""

from __future__ import annotations

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.servo import slice_of
from model_nodes.main_physics.engines.mujoco.tables import Tables

_SWING = 0.3
"""Angular frequency of the spring times the step at most, so that it is stable [rad]."""
_STEADY = 0.5
"""Share of a deviation of the velocity that the damper takes away in one step at most."""


class LimitedDrives(Copied):
    """The drives of all such joints.

    Args:
        model: before any armature was added.
        forward: computes the efforts that the commanded motion needs.
    """

    saved_fields = ("_speed", "_efforts")

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, forward: FeedForward
    ) -> None:
        self._model, self._forward = model, forward
        self._qpos, self._qvel, self._applied = data.qpos, data.qvel, data.qfrc_applied
        limited = [drive.mode is DriveMode.LIMITED for drive in tables.drives]
        joints = np.flatnonzero(limited).astype(np.int32)
        self._joints = slice_of(joints)
        self._positions = slice_of(tables.joint_positions[joints])
        self._dofs = slice_of(tables.joint_velocities[joints])
        self._all_dofs = tables.joint_velocities[: len(tables.driven)]
        self._step = step = float(model.opt.timestep)
        drives = [tables.drives[i] for i in joints.tolist()]
        self._stiffness = np.array([drive.stiffness or 0.0 for drive in drives])
        self._limit = np.array([drive.effort or np.inf for drive in drives])
        inertia = model.dof_M0[self._dofs]
        armature = self._stiffness * (step / _SWING) ** 2
        critical = 2.0 * np.sqrt(self._stiffness * (inertia + armature))
        given = np.array([drive.damping or np.nan for drive in drives])
        self._damping = np.where(np.isnan(given), critical, given)
        self._armature = np.maximum(armature, self._damping * step / _STEADY - inertia)
        self._speed: Floats = np.zeros(len(tables.driven))
        self._efforts: Floats = np.zeros(len(drives))

    def add_armature(self) -> None:
        """Set the armatures of the joints in the model."""
        self._model.dof_armature[self._dofs] = self._armature

    def place(self) -> None:
        """Let the commanded motion begin with the joints' current velocities."""
        self._speed = self._qvel[self._all_dofs]

    def push(self, begin: Floats, end: Floats) -> None:
        """Apply the forces of one substep.

        Args:
            begin, end: commanded positions of all driven joints, before the substep and after it.
        """
        joints, speed = self._joints, self._speed
        # What takes the joints exactly from one position to the other, as MuJoCo integrates.
        self._speed = (end - begin) / self._step
        accelerations = (self._speed - speed) / self._step
        efforts = self._stiffness * (begin[joints] - self._qpos[self._positions])
        efforts += self._damping * (speed[joints] - self._qvel[self._dofs])
        efforts += self._forward.efforts(accelerations)[joints]
        self._efforts = np.minimum(np.maximum(efforts, -self._limit), self._limit)
        # The armature is no part of the robot: what speeds it up counts for no effort.
        self._applied[self._dofs] = self._efforts + self._armature * accelerations[joints]

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; others stay."""
        out[self._joints] = self._efforts
