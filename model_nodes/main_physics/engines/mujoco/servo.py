"""Drives the robots' joints exactly along their recorded motion, and their bases as commanded.

Each driven joint gets an armature large enough that contacts do not disturb it, and the force that moves it in one
step from its position and velocity to the commanded position: velocity and acceleration are fed forward implicitly,
without lag. Positions are never overwritten, so the robot pushes and drags the bodies that it touches with its true
velocity.

Joints with other drives are handled by `motors`. Soft joints are the other exception: they are moved by forces of the
size of the recorded ones, so that they stop at the bodies that they touch.

The six degrees of freedom of a root link that follows a command are driven in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scenario.robot import DriveMode
from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats, Ints
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables
from model_nodes.main_physics.engines.shared import CopiedPart
from model_nodes.main_physics.sources.part import JointMotion

DRIVEN_ARMATURE = 1e5
"""Armature of driven joints [kg m^2 or kg]; 1000 N on a joint displace it by 0.01 m/s^2 times the step squared."""
SOFT_ARMATURE = 1e-3
"""Armature of soft joints, as of a small geared motor [kg m^2 or kg]; keeps a stiff spring stable at usual steps."""


def slice_of(addresses: Ints) -> slice | Ints:
    """Convert addresses to a slice if they are consecutive, as they usually are for a single robot."""
    if not len(addresses):
        return slice(0, 0)
    if (np.diff(addresses) == 1).all():
        return slice(int(addresses[0]), int(addresses[-1]) + 1)
    return addresses


class Servo(CopiedPart):
    """The servo of all joints that follow their command."""

    saved_fields = ("_from", "_to")

    def __init__(self, model: mj.MjModel, data: mj.MjData, tables: Tables) -> None:
        count = len(tables.driven)
        positions, velocities = tables.joint_positions[:count], tables.joint_velocities[:count]
        step = float(model.opt.timestep)
        # Arrays instead of Python's numbers, which NumPy would convert at every step.
        self._step, self._strength = np.array(step), np.array(DRIVEN_ARMATURE / step**2)
        self._positions, self._dofs = slice_of(positions), slice_of(velocities)
        self._qpos, self._qvel, self._applied = data.qpos, data.qvel, data.qfrc_applied
        qpos, qvel = self._qpos[self._positions], self._qvel[self._dofs]
        qfrc = self._applied[self._dofs]
        are_views = np.shares_memory(qpos, self._qpos) and np.shares_memory(qfrc, self._applied)
        self._views = (qpos, qvel, qfrc) if are_views else None
        """Views of the current positions, velocities and forces, if the joints' addresses are consecutive."""
        self._bases = [tables.bases[name].velocity for name in tables.followed]
        self._force = np.zeros(count)
        self._moved = np.zeros(count)
        self._from = np.zeros((2, count))
        self._to = np.zeros((2, count))
        self._soft = np.zeros(0, np.intp)
        self._stiffness = 0.0
        self._damping = np.zeros(0)
        self._efforts = np.zeros(count)
        has_drive = [drive.mode is not DriveMode.FOLLOW for drive in tables.drives]
        self._motors = np.flatnonzero(has_drive)

    def add_armature(
        self, model: mj.MjModel, data: mj.MjData, add_motor_armature: Callable[[], None]
    ) -> None:
        """Add the armature to the joints; the solver's scale (meaninertia) is kept.

        Args:
            model, data: the world.
            add_motor_armature: adds the armature of joints with other drives.
        """
        mean = model.stat.meaninertia
        armature = np.full(len(self._efforts), DRIVEN_ARMATURE)
        armature[self._soft] = SOFT_ARMATURE
        model.dof_armature[self._dofs] = armature
        for base in self._bases:
            model.dof_armature[base : base + 6] = DRIVEN_ARMATURE
        add_motor_armature()
        mj.mj_setConst(model, data)
        model.stat.meaninertia = mean
        inertias = model.dof_M0[self._dofs][self._soft]
        self._damping = 2.0 * np.sqrt(self._stiffness * inertias)

    def soften(self, joints: Sequence[int], stiffness: float) -> None:
        """Let forces move some joints; call `add_armature` afterwards, which gives them a small armature.

        Args:
            joints: indices of the joints among the driven ones.
            stiffness: stiffness of the spring to the commanded position [Nm/rad or N/m].
        """
        self._soft = np.array(joints, np.intp)
        self._stiffness = stiffness

    def place(self) -> None:
        """Set the command to the joints' current state."""
        self._to[0] = self._qpos[self._positions]
        self._to[1] = self._qvel[self._dofs]

    def command(self, positions: Floats, velocities: Floats) -> None:
        """Set the commanded state at the end of the next step."""
        self._from, self._to = self._to, self._from
        self._to[0] = positions
        self._to[1] = velocities

    def record_commands(self, motions: Sequence[JointMotion]) -> None:
        """Record the last commands, which have been carried out by other means than `push`."""
        for motion in motions:
            self._from, self._to = self._to, self._from
            self._to[0], self._to[1] = motion.positions, motion.velocities

    def command_efforts(self, efforts: Floats) -> None:
        """Set the efforts for the next step; only soft joints use theirs."""
        self._efforts[:] = efforts

    def target(self, share: float, period: float) -> Floats:
        """The commanded positions after a fraction of the step, on the cubic spline between its ends."""
        a, b = self._from, self._to
        s, r = share, 1.0 - share
        position: Floats = r * r * ((1 + 2 * s) * a[0] + s * period * a[1]) + s * s * (
            (1 + 2 * r) * b[0] - r * period * b[1]
        )
        return position

    def drive(self, target: Floats) -> Floats:
        """Apply the forces that move all joints to these positions within one step, and return the forces."""
        views, moved = self._views, self._moved
        if views is None:
            qpos, qvel, force = self._qpos[self._positions], self._qvel[self._dofs], self._force
        else:
            qpos, qvel, force = views
        np.multiply(qvel, self._step, moved)
        np.subtract(target, qpos, force)
        np.subtract(force, moved, force)
        np.multiply(force, self._strength, force)
        if views is None:
            self._applied[self._dofs] = force
        return force

    def push(self, share: float, period: float) -> Floats:
        """Apply the forces that reach the target for a fraction of the step within one substep; returns the target."""
        target: Floats = self._to[0] if share >= 1.0 else self.target(share, period)
        force = self.drive(target)
        if len(self._motors):
            force[self._motors] = 0.0
        if len(self._soft):
            force[self._soft] = self._soft_forces(target)
        if self._views is None:
            self._applied[self._dofs] = force
        return target

    def _soft_forces(self, target: Floats) -> Floats:
        soft = self._soft
        error = target - self._qpos[self._positions]
        error_rate = self._to[1] - self._qvel[self._dofs]
        springs: Floats = self._stiffness * error[soft]
        forces: Floats = springs + self._damping * error_rate[soft]
        forces += self._efforts[soft]
        return forces


class BaseServo(CopiedPart):
    """The servo of all bases that follow a command.

    Attributes:
        any: whether there is any such base.
    """

    saved_fields = ("_from", "_to")

    def __init__(
        self, model: mj.MjModel, data: mj.MjData, tables: Tables, reader: FrameReader
    ) -> None:
        self._step = float(model.opt.timestep)
        self._strength = DRIVEN_ARMATURE / self._step**2
        self._data, self._reader = data, reader
        self._bases: list[FreeBody] = [tables.bases[name] for name in tables.followed]
        self.any = bool(self._bases)
        self._from = np.zeros((len(self._bases), POSE_SIZE))
        self._to = np.zeros((len(self._bases), POSE_SIZE))
        self._rotation, self._quaternion = np.zeros(3), np.zeros(4)
        self.place()

    def place(self) -> None:
        """Set the commands to the current states of the bases."""
        for i, base in enumerate(self._bases):
            self._to[i] = _state(self._data, base)

    def command(self, states: Floats) -> None:
        """Set the commanded states (n, 13) at the end of the next step."""
        self._from, self._to = self._to, self._from
        self._to[:] = states

    def push(self, share: float, period: float) -> None:
        """Apply the forces that reach the pose for a fraction of the step within one substep."""
        qpos, qvel, force = self._data.qpos, self._data.qvel, self._data.qfrc_applied
        for i, base in enumerate(self._bases):
            q, v = base.position, base.velocity
            position, quaternion = self._target(i, share, period)
            moved = position - qpos[q : q + 3] - self._step * qvel[v : v + 3]
            mj.mju_subQuat(self._rotation, quaternion, qpos[q + 3 : q + 7])
            turned = self._rotation - self._step * qvel[v + 3 : v + 6]
            force[v : v + 3] = self._strength * moved
            force[v + 3 : v + 6] = self._strength * turned

    def _target(self, i: int, share: float, period: float) -> tuple[Floats, Floats]:
        """Position and orientation after a fraction of the step, on the cubic spline between its ends."""
        a, b = self._from[i], self._to[i]
        if share >= 1.0:
            return b[:3], b[3:7]
        s, r = share, 1.0 - share
        begin, end = r * r * s * period, s * s * r * period
        blend = s * s * (1 + 2 * r)
        position: Floats = a[:3] + blend * (b[:3] - a[:3]) + begin * a[7:10] - end * b[7:10]
        # Within one step the axis of rotation hardly changes, so a spline of rotation vectors suffices.
        rotvec = np.zeros(3)
        mj.mju_subQuat(rotvec, b[3:7], a[3:7])
        inv = np.array([a[3], -a[4], -a[5], -a[6]])
        rotvec = blend * rotvec + rotate(inv.tolist(), (begin * a[10:13] - end * b[10:13]).tolist())
        quaternion = a[3:7].copy()
        mj.mju_quatIntegrate(quaternion, rotvec, 1.0)
        return position, quaternion


def _state(data: mj.MjData, base: FreeBody) -> Floats:
    """(13,) pose and twist of a base, from its free joint."""
    q, v = base.position, base.velocity
    pose, twist = data.qpos[q : q + 7], data.qvel[v : v + 6]
    angular = rotate(pose[3:7].tolist(), twist[3:6].tolist())
    state: Floats = np.concatenate([pose, twist[:3], angular])
    return state
