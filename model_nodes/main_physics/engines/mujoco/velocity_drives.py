"""Drives that turn joints as fast as commanded, as those of wheels.

Each damps the deviation from the commanded velocity, which changes no faster than its acceleration allows.
"""

from __future__ import annotations

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.tables import Tables

_SETTLING = 0.02
"""Time constant with which a drive without a damping of its own reaches its velocity [s]."""
_STEADY = 0.5
"""Share of a deviation that a drive takes away in one step at most."""
_ARMATURE = 1e-3
"""[kg m^2 or kg]; that of a small geared motor."""
_FREE_DOFS = 6


class VelocityDrives(Copied):
    """The drives of all such joints.

    Args:
        model: before any armature was added.
    """

    saved_fields = ("_wanted", "_speed", "_efforts")

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        modes = [drive.mode for drive in tables.drives]
        self._model, self._tables = model, tables
        self._qvel, self._applied = data.qvel, data.qfrc_applied
        self._joints = np.flatnonzero([mode is DriveMode.VELOCITY for mode in modes])
        self._dofs = tables.joint_velocities[self._joints]
        self._step = float(model.opt.timestep)
        joints = self._joints.tolist()
        drives = [tables.drives[i] for i in joints]
        self._change = np.array([(drive.acceleration or np.inf) * self._step for drive in drives])
        self._limit = np.array([drive.effort or np.inf for drive in drives])
        self._damping: Floats = np.array([self._damping_of(i) for i in joints], dtype=np.float64)
        self._armature = np.maximum(_ARMATURE, self._damping * self._step / _STEADY)
        self._wanted, self._speed = np.zeros(len(drives)), np.zeros(len(drives))
        self._efforts: Floats = np.zeros(len(drives))

    @property
    def any(self) -> bool:
        """Whether there are any."""
        return bool(len(self._joints))

    def add_armature(self) -> None:
        """Set the armatures of the joints in the model."""
        self._model.dof_armature[self._dofs] = self._armature

    def _damping_of(self, joint: int) -> float:
        given = self._tables.drives[joint].damping
        return self._inertia(joint) / _SETTLING if given is None else given

    def _inertia(self, joint: int) -> float:
        """The inertia that a joint moves; that of a wheel includes the robot that rolls on it."""
        model, dof = self._model, int(self._tables.joint_velocities[joint])
        body = int(model.dof_bodyid[dof])
        root = int(model.body_rootid[body])
        inertia = float(model.dof_M0[dof]) + _ARMATURE
        if model.body_dofnum[root] == _FREE_DOFS and self._tables.geoms[body]:
            radius = float(model.geom_rbound[list(self._tables.geoms[body])].max())
            inertia += float(model.body_subtreemass[root]) * radius**2
        return inertia

    def place(self) -> None:
        """Let the drives begin at the joints' current velocities."""
        self._speed[:] = self._wanted[:] = self._qvel[self._dofs]

    def command(self, velocities: Floats) -> None:
        """Set the commanded velocities of all driven joints."""
        self._wanted[:] = velocities[self._joints]

    def push(self) -> None:
        """Apply the forces of one substep."""
        change = np.clip(self._wanted - self._speed, -self._change, self._change)
        efforts = self._damping * (self._speed - self._qvel[self._dofs])
        self._efforts = np.clip(efforts, -self._limit, self._limit)
        # The armature is no part of the robot: what speeds it up counts for no effort.
        self._applied[self._dofs] = self._efforts + self._armature / self._step * change
        self._speed += change

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; others stay."""
        out[self._joints] = self._efforts
