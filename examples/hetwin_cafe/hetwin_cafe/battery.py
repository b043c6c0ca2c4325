"""A battery that drains."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import (
    AttributeSpec,
    Changes,
    Contribution,
    EntityName,
    Model,
    Parameters,
    Tick,
    parameter,
)

CHARGE = AttributeSpec("charge", 1, "J")


class BatterySettings(Parameters):
    """The robot, and the battery's energy and consumption."""

    robot: EntityName = parameter("robot with the battery")
    charge: float = parameter("energy at the start", 360_000.0, "J")
    idle_power: float = parameter("power of the electronics", 20.0, "W")
    low: float = parameter("energy below which it reports battery_low", 36_000.0, "J")


class Battery(Model[BatterySettings]):
    """A battery, drained by a robot's electronics and by its joints' efforts times their velocities."""

    rate = 50.0
    provides = (CHARGE,)

    def initialize(self, settings: BatterySettings, scene: Contribution) -> None:
        """Start with the energy of the parameter `charge`."""
        self._joules = settings.charge
        scene.set(settings.robot, CHARGE, self._joules)
        scene.needs((settings.robot, "joint_velocities"), (settings.robot, "joint_efforts"))

    def step(self, tick: Tick) -> Changes:
        """Drain the energy of the step; a joint that is driven backwards recovers none."""
        settings, scene, before = self.settings, tick.scene, self._joules
        power = settings.idle_power
        if scene.layout.has(settings.robot, "joint_efforts"):  # otherwise it has no motors
            efforts = scene.get(settings.robot, "joint_efforts")
            power += float(np.abs(efforts * scene.get(settings.robot, "joint_velocities")).sum())
        self._joules = max(0.0, before - power * tick.period)
        changes = tick.changes().set(settings.robot, CHARGE, self._joules)
        if self._joules < settings.low <= before:
            changes.event("battery_low", robot=settings.robot, joules=self._joules)
        return changes
