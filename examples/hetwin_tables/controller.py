"""The stand-in's controller: a compliant, gravity-compensated arm and a gripper with limited force."""

from __future__ import annotations

import math

import mujoco as mj
import numpy as np

from hetwin_stand_ins.motion import Grip, GripperCommand, SetPoints
from hetwin_suite.model import Floats
from hetwin_tables.stand_in import ARM_JOINTS, FINGER_JOINTS

CONTROL_PERIOD_S = 0.001

_STIFFNESS = np.array([900.0, 900.0, 700.0, 250.0, 250.0, 120.0])  # Nm/rad
_DAMPING = np.array([60.0, 60.0, 40.0, 10.0, 10.0, 5.0])  # Nms/rad
_FINGER_STIFFNESS = 4000.0  # N/m
_FINGER_DAMPING = 60.0  # Ns/m
_FINGER_SPEED = 0.05  # m/s


class Controller:
    """Computes motor torques and forces from set points.

    Args:
        model: the stand-in's world.
        set_points: (ticks, n) set points of the arm, every `TICK_S`.
        commands: commands of the gripper by time; the first one is its initial state.
        grip: how the gripper closes.
        prefix: prefix of the robot's names in the model, if there are several robots.
    """

    def __init__(
        self,
        model: mj.MjModel,
        set_points: Floats,
        commands: list[GripperCommand],
        grip: Grip,
        prefix: str = "",
    ) -> None:
        self._set_points = SetPoints(set_points)
        self._pending = [] if grip.stuck else commands[1:]
        self._goal = self._aperture = commands[0].goal
        self._grip = grip
        ids = [model.joint(prefix + name).id for name in (*ARM_JOINTS, *FINGER_JOINTS)]
        self._qpos = model.jnt_qposadr[ids]
        self._dof = model.jnt_dofadr[ids]
        self._limits = model.jnt_actfrcrange[ids, 1]
        self._closing_since = np.inf

    def forces(self, data: mj.MjData) -> Floats:
        """Return (arm joints + fingers,) motor torques [Nm] and forces [N] at `data.time`."""
        q, v = data.qpos[self._qpos], data.qvel[self._dof]
        arm = slice(0, len(ARM_JOINTS))
        target, speed = self._set_points.at(data.time)
        motors = data.qfrc_bias[self._dof].copy()
        motors[arm] += _STIFFNESS * (target - q[arm]) + _DAMPING * (speed - v[arm])
        motors[len(ARM_JOINTS) :] = self._fingers(
            data.time, q[len(ARM_JOINTS) :], v[len(ARM_JOINTS) :]
        )
        return np.asarray(np.clip(motors, -self._limits, self._limits))

    def _fingers(self, time: float, q: Floats, v: Floats) -> Floats:
        if self._pending and self._pending[0].time <= time + 1e-9:
            self._goal = self._pending.pop(0).goal
            self._aperture = float(q.mean())
            if self._goal < self._aperture:
                self._closing_since = time
        max_step = _FINGER_SPEED * CONTROL_PERIOD_S
        self._aperture += min(max(self._goal - self._aperture, -max_step), max_step)
        force = self._grip.force
        if time > self._closing_since:
            force *= math.exp(-(time - self._closing_since) / self._grip.fading)
        forces = _FINGER_STIFFNESS * (self._aperture - q) - _FINGER_DAMPING * v
        return np.asarray(np.clip(forces, -force, max(force, 10.0)))
