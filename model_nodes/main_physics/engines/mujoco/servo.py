"""Drives the robots' joints exactly along their recorded motion.

Each driven joint gets an armature so large that contacts do not disturb it, and the force that takes it in one
step from its position and velocity to the commanded position: velocity and acceleration are fed forward
implicitly, without lag. Positions are never overwritten, so that the robot pushes and drags what it touches
with its true velocity.

Soft joints are the exception: forces of the size of the recorded ones move them, so that they stop at what they touch.
"""

from __future__ import annotations

from collections.abc import Sequence

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.values import Floats, Ints
from model_nodes.main_physics.engines.mujoco.tables import Tables

DRIVEN_ARMATURE = 1e5
"""[kg m^2 or kg]; 1000 N on a joint displace it by 0.01 m/s^2 times the step squared."""
SOFT_ARMATURE = 1e-3
"""[kg m^2 or kg]; that of a small geared motor, which keeps a stiff spring stable at the usual steps."""


def slice_of(addresses: Ints) -> slice:
    """Convert consecutive addresses to a slice."""
    if not len(addresses):
        return slice(0, 0)
    assert (np.diff(addresses) == 1).all(), "the joints of a robot are not contiguous"
    return slice(int(addresses[0]), int(addresses[-1]) + 1)


class Servo:
    """The servo of all driven joints."""

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        count = len(tables.driven)
        positions, velocities = tables.joint_positions[:count], tables.joint_velocities[:count]
        self._step = float(model.opt.timestep)
        self._strength = DRIVEN_ARMATURE / self._step**2
        self._dofs = slice_of(velocities)
        # A robot's joints are contiguous in MuJoCo's arrays; these are views.
        self._position = data.qpos[slice_of(positions)]
        self._velocity = data.qvel[self._dofs]
        self._force = data.qfrc_applied[self._dofs]
        self._moved = np.zeros(count)
        self._from = np.zeros((2, count))
        self._to = np.zeros((2, count))
        self._soft = np.zeros(0, np.intp)
        self._stiffness = 0.0
        self._damping = np.zeros(0)
        self._efforts = np.zeros(count)

    def add_armature(self, model: mj.MjModel, data: mj.MjData) -> None:
        """Add the armature to the joints; the solver's scale (meaninertia) stays as it was."""
        mean = model.stat.meaninertia
        armature = np.full(len(self._efforts), DRIVEN_ARMATURE)
        armature[self._soft] = SOFT_ARMATURE
        model.dof_armature[self._dofs] = armature
        mj.mj_setConst(model, data)
        model.stat.meaninertia = mean
        inertias = model.dof_M0[self._dofs][self._soft]
        self._damping = 2.0 * np.sqrt(self._stiffness * inertias)

    def soften(self, joints: Sequence[int], stiffness: float) -> None:
        """Let forces move some joints; `add_armature` makes them light.

        Args:
            joints: their indices among the driven ones.
            stiffness: of the spring to the commanded position [Nm/rad or N/m].
        """
        self._soft = np.array(joints, np.intp)
        self._stiffness = stiffness

    def place(self) -> None:
        """Set the command to the joints' current state."""
        self._to[0] = self._position
        self._to[1] = self._velocity

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._from, self._to = self._to, self._from
        self._to[0] = positions
        self._to[1] = velocities

    def command_efforts(self, efforts: Floats) -> None:
        """Set the efforts of the next step; only soft joints use theirs."""
        self._efforts[:] = efforts

    def target(self, share: float, period: float) -> Floats:
        """The commanded positions after a fraction of the step, on the cubic spline between its ends."""
        if share >= 1.0:
            end: Floats = self._to[0]
            return end
        a, b = self._from, self._to
        s, r = share, 1.0 - share
        between: Floats = r * r * ((1 + 2 * s) * a[0] + s * period * a[1]) + s * s * (
            (1 + 2 * r) * b[0] - r * period * b[1]
        )
        return between

    def push(self, target: Floats) -> None:
        """Apply the forces that reach `target` within one substep."""
        force, moved = self._force, self._moved
        np.multiply(self._velocity, self._step, out=moved)
        np.subtract(target, self._position, out=force)
        force -= moved
        force *= self._strength
        if len(self._soft):
            force[self._soft] = self._soft_forces(target)

    def _soft_forces(self, target: Floats) -> Floats:
        soft = self._soft
        springs: Floats = self._stiffness * (target - self._position)[soft]
        forces: Floats = springs + self._damping * (self._to[1] - self._velocity)[soft]
        forces += self._efforts[soft]
        return forces

    def save(self) -> object:
        """Return the state for `restore`."""
        return self._from.copy(), self._to.copy()

    def restore(self, state: object) -> None:
        """Restore a saved state."""
        assert isinstance(state, tuple)
        self._from, self._to = state[0].copy(), state[1].copy()
