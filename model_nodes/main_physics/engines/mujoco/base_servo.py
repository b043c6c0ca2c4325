"""Moves the bases of robots exactly as commanded.

As with joints (see `servo`), each of the six degrees of freedom of the root link gets an armature so large that
contacts do not disturb it, and the force that takes it in one step to the commanded pose. Poses are never overwritten,
so that the robot pushes what is in its way with its true velocity.
"""

from __future__ import annotations

import mujoco as mj
import numpy as np

from hetwin_core.ensemble.scene.poses import rotate
from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats
from model_nodes.main_physics.engines.copied import Copied
from model_nodes.main_physics.engines.mujoco.frames import FrameReader
from model_nodes.main_physics.engines.mujoco.servo import DRIVEN_ARMATURE
from model_nodes.main_physics.engines.mujoco.tables import FreeBody, Tables


class BaseServo(Copied):
    """The servo of all bases that follow a command.

    Attributes:
        any: whether there are any.
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
        self._turn, self._quaternion = np.zeros(3), np.zeros(4)
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
        """Apply the forces that reach, within one substep, the pose after a fraction of the step."""
        qpos, qvel, force = self._data.qpos, self._data.qvel, self._data.qfrc_applied
        for i, base in enumerate(self._bases):
            q, v = base.position, base.velocity
            position, quaternion = self._target(i, share, period)
            moved = position - qpos[q : q + 3] - self._step * qvel[v : v + 3]
            mj.mju_subQuat(self._turn, quaternion, qpos[q + 3 : q + 7])
            turned = self._turn - self._step * qvel[v + 3 : v + 6]
            force[v : v + 3] = self._strength * moved
            force[v + 3 : v + 6] = self._strength * turned

    def _target(self, i: int, share: float, period: float) -> tuple[Floats, Floats]:
        """Position and orientation on the cubic spline between the ends of the step."""
        a, b = self._from[i], self._to[i]
        if share >= 1.0:
            return b[:3], b[3:7]
        s, r = share, 1.0 - share
        begin, end = r * r * s * period, s * s * r * period
        blend = s * s * (1 + 2 * r)
        position: Floats = a[:3] + blend * (b[:3] - a[:3]) + begin * a[7:10] - end * b[7:10]
        # Within one step the axes of rotation are nearly the same: the spline is that of a vector along them.
        turn = np.zeros(3)
        mj.mju_subQuat(turn, b[3:7], a[3:7])
        back = np.array([a[3], -a[4], -a[5], -a[6]])
        turn = blend * turn + rotate(back.tolist(), (begin * a[10:13] - end * b[10:13]).tolist())
        quaternion = a[3:7].copy()
        mj.mju_quatIntegrate(quaternion, turn, 1.0)
        return position, quaternion


def _state(data: mj.MjData, base: FreeBody) -> Floats:
    """(13,) pose and twist of a base, from its free joint."""
    q, v = base.position, base.velocity
    pose, twist = data.qpos[q : q + 7], data.qvel[v : v + 6]
    turning = rotate(pose[3:7].tolist(), twist[3:6].tolist())
    state: Floats = np.concatenate([pose, twist[:3], turning])
    return state
