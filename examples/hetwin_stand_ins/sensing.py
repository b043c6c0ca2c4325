"""The robot's joint sensors: noisy and quantised, at the rates of their drivers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import mujoco as mj
import numpy as np

from hetwin_suite.model import Floats
from hetwin_suite.robot import Reading


@dataclass(frozen=True, slots=True)
class Driver:
    """One publisher of joint states.

    Attributes:
        joints: names of the joints.
        period_steps: steps of the physics between two readings.
        phase_steps: step of the first reading.
        position_noise: standard deviation [rad or m].
        position_step: resolution of the encoder [rad or m].
        velocity_noise: standard deviation [rad/s or m/s].
        effort_noise: standard deviation [Nm or N].
        effort_step: resolution of the effort [Nm or N].
    """

    joints: tuple[str, ...]
    period_steps: int
    phase_steps: int
    position_noise: float
    position_step: float
    velocity_noise: float
    effort_noise: float
    effort_step: float

    def due(self, step: int) -> bool:
        """Whether the driver reads at this step of the physics."""
        return step >= self.phase_steps and (step - self.phase_steps) % self.period_steps == 0

    def read(
        self,
        time: float,
        q: Floats,
        v: Floats,
        effort: Floats,
        random: np.random.Generator,
    ) -> Reading:
        """Add noise to the true (n,) positions, velocities and efforts, and quantise them."""
        count = len(self.joints)
        positions = q + random.normal(0.0, self.position_noise, count)
        velocities = v + random.normal(0.0, self.velocity_noise, count)
        efforts = effort + random.normal(0.0, self.effort_noise, count)
        return Reading(
            time,
            self.joints,
            _quantised(positions, self.position_step),
            velocities,
            _quantised(efforts, self.effort_step),
        )


@dataclass
class Sensors:
    """All drivers of a robot, and their readings so far.

    Every joint needs a motor of the same name; its torque or force is the effort. If there are several robots, names in
    the model have the prefix `prefix`.
    """

    model: mj.MjModel
    drivers: tuple[Driver, ...]
    random: np.random.Generator
    readings: list[Reading] = field(default_factory=list)
    prefix: str = ""

    def __post_init__(self) -> None:
        self._addresses = [
            _addresses(self.model, driver.joints, self.prefix) for driver in self.drivers
        ]

    def sample(
        self, step: int, data: mj.MjData, targets: Mapping[str, float] | None = None
    ) -> None:
        """Read with the drivers that are due at this step of the physics.

        Args:
            step: step of the physics.
            data: state of the physics.
            targets: joint -> position set by the controller.
        """
        for driver, (qpos, dof, motor) in zip(self.drivers, self._addresses, strict=True):
            if driver.due(step):
                time = step * self.model.opt.timestep
                q, v, effort = data.qpos[qpos], data.qvel[dof], data.ctrl[motor]
                reading = driver.read(time, q, v, effort, self.random)
                if targets is not None:
                    target_positions = np.array([targets[joint] for joint in driver.joints])
                    reading = replace(reading, targets=target_positions)
                self.readings.append(reading)


def _addresses(
    model: mj.MjModel, joints: tuple[str, ...], prefix: str
) -> tuple[list[int], list[int], list[int]]:
    """Return the addresses of positions, velocities and torques of these joints."""
    ids = [model.joint(prefix + name).id for name in joints]
    qpos, dof = model.jnt_qposadr[ids].tolist(), model.jnt_dofadr[ids].tolist()
    return qpos, dof, [model.actuator(prefix + name).id for name in joints]


def _quantised(values: Floats, step: float) -> Floats:
    return np.asarray(np.round(values / step) * step)
