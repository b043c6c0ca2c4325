"""Drives of joints with limited effort or with a commanded velocity.

A drive with limited effort is a spring and a damper towards the commanded motion, with the efforts of that motion
(gravity and the robot's inertia) fed forward. So it is exact in free space, and yields to forces beyond its limit.

A velocity drive damps the deviation from the commanded velocity, which it approaches with limited acceleration.

The forces are computed from the last state and applied explicitly, not by MuJoCo's actuators: those damp implicitly,
which the contacts ignore, so that a wheel would slip. Each joint gets enough armature to keep its drive stable.
"""

from __future__ import annotations

from collections.abc import Callable

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.mujoco.feed_forward import FeedForward
from model_nodes.main_physics.engines.mujoco.servo import slice_of
from model_nodes.main_physics.engines.mujoco.tables import Tables
from model_nodes.main_physics.engines.shared import CopiedPart

_MAX_SPRING_ANGLE = 0.3
"""Maximum product of the spring's angular frequency and the step for a stable drive [rad]."""
_MAX_DAMPED_SHARE = 0.5
"""Maximum share of a velocity deviation that the damper removes in one step."""


class LimitedDrives(CopiedPart):
    """All drives with limited effort.

    Args:
        model: model without any added armature.
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
        armature = self._stiffness * (step / _MAX_SPRING_ANGLE) ** 2
        critical = 2.0 * np.sqrt(self._stiffness * (inertia + armature))
        given = np.array([drive.damping or np.nan for drive in drives])
        self._damping = np.where(np.isnan(given), critical, given)
        self._armature = np.maximum(armature, self._damping * step / _MAX_DAMPED_SHARE - inertia)
        self._speed: Floats = np.zeros(len(tables.driven))
        self._efforts: Floats = np.zeros(len(drives))

    def add_armature(self) -> None:
        """Set the armature of the drives' joints in the model."""
        self._model.dof_armature[self._dofs] = self._armature

    def place(self) -> None:
        """Start the commanded motion with the joints' current velocities."""
        self._speed = self._qvel[self._all_dofs]

    def push(self, begin: Floats, end: Floats) -> None:
        """Apply the forces of one substep.

        Args:
            begin, end: commanded positions of all driven joints before and after the substep.
        """
        joints, previous = self._joints, self._speed
        # MuJoCo's integration with these velocities leads exactly from one position to the other.
        self._speed = (end - begin) / self._step
        accelerations = (self._speed - previous) / self._step
        efforts = self._stiffness * (begin[joints] - self._qpos[self._positions])
        efforts += self._damping * (previous[joints] - self._qvel[self._dofs])
        efforts += self._forward.efforts(accelerations)[joints]
        self._efforts = np.minimum(np.maximum(efforts, -self._limit), self._limit)
        # The armature is not part of the robot, so the torque that accelerates it does not count as effort.
        self._applied[self._dofs] = self._efforts + self._armature * accelerations[joints]

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; the entries of other joints stay unchanged."""
        out[self._joints] = self._efforts


_TIME_CONSTANT = 0.02
"""Time constant of a drive without a given damping [s]."""
_ARMATURE = 1e-3
"""Armature, as of a small geared motor [kg m^2 or kg]."""
_FREE_DOFS = 6


class VelocityDrives(CopiedPart):
    """All velocity drives.

    Args:
        model: model without any added armature.
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
        self._max_dv = np.array([(drive.acceleration or np.inf) * self._step for drive in drives])
        self._limit = np.array([drive.effort or np.inf for drive in drives])
        self._damping: Floats = np.array([self._damping_of(i) for i in joints], dtype=np.float64)
        self._armature = np.maximum(_ARMATURE, self._damping * self._step / _MAX_DAMPED_SHARE)
        self._wanted, self._speed = np.zeros(len(drives)), np.zeros(len(drives))
        self._efforts: Floats = np.zeros(len(drives))

    @property
    def any(self) -> bool:
        """Whether there is any velocity drive."""
        return bool(len(self._joints))

    def add_armature(self) -> None:
        """Set the armature of the drives' joints in the model."""
        self._model.dof_armature[self._dofs] = self._armature

    def _damping_of(self, joint: int) -> float:
        given = self._tables.drives[joint].damping
        return self._inertia(joint) / _TIME_CONSTANT if given is None else given

    def _inertia(self, joint: int) -> float:
        """The inertia that a joint moves; for a wheel, it includes the robot that rolls on it."""
        model, dof = self._model, int(self._tables.joint_velocities[joint])
        body = int(model.dof_bodyid[dof])
        root = int(model.body_rootid[body])
        inertia = float(model.dof_M0[dof]) + _ARMATURE
        if model.body_dofnum[root] == _FREE_DOFS and self._tables.geoms[body]:
            radius = float(model.geom_rbound[list(self._tables.geoms[body])].max())
            inertia += float(model.body_subtreemass[root]) * radius**2
        return inertia

    def place(self) -> None:
        """Start the drives with the joints' current velocities."""
        self._speed[:] = self._wanted[:] = self._qvel[self._dofs]

    def command(self, velocities: Floats) -> None:
        """Set the commanded velocities of all driven joints."""
        self._wanted[:] = velocities[self._joints]

    def push(self) -> None:
        """Apply the forces of one substep."""
        change = np.clip(self._wanted - self._speed, -self._max_dv, self._max_dv)
        efforts = self._damping * (self._speed - self._qvel[self._dofs])
        self._efforts = np.clip(efforts, -self._limit, self._limit)
        # The armature is not part of the robot, so the torque that accelerates it does not count as effort.
        self._applied[self._dofs] = self._efforts + self._armature / self._step * change
        self._speed += change

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; the entries of other joints stay unchanged."""
        out[self._joints] = self._efforts


class Motors(CopiedPart):
    """All drives with limited effort or with a commanded velocity.

    Args:
        model: model without any added armature.
        forward: returns the computation of the efforts that the commanded motion needs.
    """

    saved_fields = ("_turning", "_limited")

    def __init__(
        self,
        model: mj.MjModel,
        data: mj.MjData,
        tables: Tables,
        forward: Callable[[], FeedForward],
    ) -> None:
        modes = {drive.mode for drive in tables.drives}
        self.any = modes - {DriveMode.FOLLOW} != set()
        self._turning = VelocityDrives(model, data, tables)
        self._limited: LimitedDrives | None = None
        if DriveMode.LIMITED in modes:
            self._limited = LimitedDrives(model, data, tables, forward())

    def add_armature(self) -> None:
        """Set the armature of the drives' joints in the model."""
        self._turning.add_armature()
        if self._limited is not None:
            self._limited.add_armature()

    def place(self) -> None:
        """Start the drives with the joints' current state."""
        self._turning.place()
        if self._limited is not None:
            self._limited.place()

    def command(self, velocities: Floats) -> None:
        """Set the commanded velocities of all driven joints."""
        self._turning.command(velocities)

    def push(self, begin: Floats, end: Floats) -> None:
        """Apply the forces of one substep; call it after the forces on bases have been applied.

        Args:
            begin, end: commanded positions of all driven joints before and after the substep.
        """
        if self._turning.any:
            self._turning.push()
        if self._limited is not None:
            self._limited.push(begin, end)

    def read_efforts(self, out: Floats) -> None:
        """Write the efforts of the last substep; the entries of other joints stay unchanged."""
        self._turning.read_efforts(out)
        if self._limited is not None:
            self._limited.read_efforts(out)
