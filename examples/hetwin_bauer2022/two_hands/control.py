"""Joint impedance control, with fingers that close until they press."""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco as mj
import numpy as np

from hetwin_bauer2022.mismatch import STIFF, Compliance
from hetwin_bauer2022.two_hands.joints import ALL, ARMS, FINGERS, LEVERS, drives
from hetwin_bauer2022.two_hands.reality import PERIOD_S
from hetwin_stand_ins.motion import Grip, GripperCommand, SetPoints
from hetwin_suite.model import Floats

TICK_TOLERANCE = 1e-6
"""Share of a tick by which a set point may start early."""
_CATCH_UP_S = 0.3
_ALL_LEVERS = np.tile(LEVERS, 4)


@dataclass(frozen=True, slots=True)
class Postures:
    """(3,) joint positions of every finger [rad], fully open and closed without an object."""

    opened: Floats
    closed: Floats


class Fingers:
    """Set points and torque limits of the four fingers of the right hand.

    A finger closes until the torque of its first joint corresponds to the grip's force at its tip, and holds there. It
    continues to close if the torque falls below two thirds of that.

    Args:
        commands: commands by time; the goal is the share of the travel from open (0) to closed (1).
        grip: how the hand closes, with the force of each finger tip.
        postures: open and closed postures of a finger.
    """

    closing_per_s = 1.0
    opening_per_s = 4.0

    def __init__(self, commands: list[GripperCommand], grip: Grip, postures: Postures) -> None:
        self._pending = list(commands)
        self._grip = grip
        self._postures = postures
        self._goal = commands[0].goal
        self.shares = np.full(4, self._goal)
        self._closing_since = self._commanded_at = np.inf
        self._late = np.array(grip.late or (0.0,) * 4)
        self._is_pressing = np.zeros(4, dtype=bool)

    def step(self, time: float, torques: Floats) -> Floats:
        """Return (12,) set points for the next millisecond [rad].

        Args:
            time: simulated time [s].
            torques: (12,) present torques of the drives [Nm].
        """
        while self._pending and self._pending[0].time <= time + 1e-9:
            self._goal = self._pending.pop(0).goal
            closes = not self._grip.stuck and self._goal > self.shares.mean()
            self._closing_since = time if closes else np.inf
            self._commanded_at = time
        if time >= self._closing_since:
            press = torques[::3] / (LEVERS[0] * self._grip.force)
            self._is_pressing = np.where(self._is_pressing, press > 2 / 3, press > 1.0)
            step = np.where(self._is_pressing, 0.0, self.closing_per_s * PERIOD_S)
            self.shares = np.minimum(self.shares + step, self._goal)
        elif not self._grip.stuck:
            opens = np.where(
                time >= self._commanded_at + self._late, self.opening_per_s * PERIOD_S, 0.0
            )
            self.shares = np.maximum(self.shares - opens, self._goal)
        travel = self._postures.closed - self._postures.opened
        return np.asarray((self._postures.opened + self.shares[:, None] * travel).ravel())

    def torque_limits(self, time: float) -> Floats:
        """Return (12,) present torque limits of the drives [Nm]."""
        force = 4.0 * self._grip.force
        if time >= self._closing_since and math.isfinite(self._grip.fading):
            force *= math.exp(-(time - self._closing_since) / self._grip.fading)
            return _ALL_LEVERS * force
        return _ALL_LEVERS * max(force, 12.0)


class Impedance:
    """Computes the motors' torques.

    Args:
        model: the stand-in's world.
        arm: (ticks, 7) set points of the right arm, every `TICK_S`.
        rest: (joints,) positions of all other joints, in the order of `ALL` [rad].
        fingers: controller of the right hand's fingers.
        gravity_factors: (joints,) factors of the gravity compensation, 1 if exact.
        compliance: compliance of the right arm.
    """

    def __init__(
        self,
        model: mj.MjModel,
        arm: Floats,
        rest: Floats,
        fingers: Fingers,
        gravity_factors: Floats,
        compliance: Compliance = STIFF,
    ) -> None:
        ids = [model.joint(name).id for name in ALL]
        self._qpos = model.jnt_qposadr[ids]
        self._dof = model.jnt_dofadr[ids]
        self._most = model.jnt_actfrcrange[ids, 1]
        self._arm = SetPoints(arm, TICK_TOLERANCE)
        self._targets = rest.copy()
        self._speeds = np.zeros(len(ALL))
        self._torques = np.zeros(len(ALL))
        self._fingers = fingers
        self._stiffness, self._damping = drives().stiffness, drives().damping
        self._stiffness[_slice(ARMS["right"])] /= compliance.softness
        self._damping[_slice(ARMS["right"])] /= math.sqrt(compliance.softness)
        self._compliance = compliance
        self._missed = np.zeros(len(ARMS["right"]))
        self._gravity_factors = gravity_factors
        self._arm_slice = _slice(ARMS["right"])
        self._hand_slice = _slice(FINGERS["right"])

    @property
    def targets(self) -> dict[str, float]:
        """Joint -> present set point [rad]."""
        return dict(zip(ALL, self._targets.tolist(), strict=True))

    def torques(self, data: mj.MjData) -> Floats:
        """Return (joints,) torques at `data.time` [Nm]."""
        arm, hand = self._arm_slice, self._hand_slice
        self._targets[arm], self._speeds[arm] = self._arm.at(data.time)
        if data.time >= self._compliance.guarded[0]:
            self._pause_if_strained(data)
        self._targets[hand] = self._fingers.step(data.time, self._torques[hand])
        torques = data.qfrc_bias[self._dof] * self._gravity_factors
        torques += self._stiffness * (self._targets - data.qpos[self._qpos])
        torques += self._damping * (self._speeds - data.qvel[self._dof])
        np.clip(torques, -self._most, self._most, out=torques)
        torque_limits = self._fingers.torque_limits(data.time)
        torques[hand] = np.clip(torques[hand], -torque_limits, torque_limits)
        self._torques = torques
        return np.asarray(torques)

    def _pause_if_strained(self, data: mj.MjData) -> None:
        arm = self._arm_slice
        strain = self._targets[arm] + self._missed - data.qpos[self._qpos[arm]]
        if data.time > self._compliance.guarded[1]:
            self._missed *= 1.0 - PERIOD_S / _CATCH_UP_S
        elif np.abs(strain).max() > self._compliance.most_strain:
            self._missed -= self._speeds[arm] * PERIOD_S
            self._speeds[arm] = 0.0
        self._targets[arm] += self._missed


def _slice(joints: tuple[str, ...]) -> slice:
    first = ALL.index(joints[0])
    return slice(first, first + len(joints))
