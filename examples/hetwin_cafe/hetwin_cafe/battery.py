"""A battery that drains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_suite import (
    AttributeSpec,
    AttributeStart,
    Contribution,
    Event,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    Selection,
    StepInput,
    StepOutput,
    Value,
)

CHARGE = AttributeSpec("charge", 1, "J")


class Battery(Model):
    """Drains by what a robot uses: its electronics, and its joints' efforts times their velocities."""

    @classmethod
    def describe(cls) -> ModelDescription:
        """A simulation of one charge."""
        return ModelDescription(
            ModelKind.SIMULATION, "battery that drains", rate=50.0, provides=(CHARGE,)
        )

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """The robot, and what its battery holds."""
        number = ParameterKind.NUMBER
        return (
            ParameterRequest("robot", ParameterKind.ENTITY, "whose battery it is"),
            ParameterRequest("charge", number, "at the start", False, 360_000.0, "J"),
            ParameterRequest("idle_power", number, "of the electronics", False, 20.0, "W"),
            ParameterRequest("low", number, "when it reports battery_low", False, 36_000.0, "J"),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Start with the charge of the parameter."""
        self._robot = str(parameters["robot"])
        self._joules, self._idle = float(parameters["charge"]), float(parameters["idle_power"])
        self._low = float(parameters["low"])
        start = AttributeStart(self._robot, CHARGE, self._value(0))
        reads = (
            Selection(self._robot, "joint_velocities"),
            Selection(self._robot, "joint_efforts"),
        )
        return Contribution(attributes=(start,), reads=reads)

    def step(self, tick: StepInput) -> StepOutput:
        """Use energy; a joint that is driven backwards returns none."""
        scene, before = tick.scene, self._joules
        power = self._idle
        if scene.layout.has(self._robot, "joint_efforts"):  # else something without motors
            efforts = scene.get(self._robot, "joint_efforts")
            power += float(np.abs(efforts * scene.get(self._robot, "joint_velocities")).sum())
        self._joules = max(0.0, before - power * tick.period_ns / 1e9)
        value = self._value(tick.time_ns)
        output = StepOutput(time_ns=tick.time_ns, values={(self._robot, CHARGE.name): value})
        if self._joules < self._low <= before:
            arguments = {"robot": self._robot, "joules": self._joules}
            output.events.append(Event("battery_low", tick.time_ns, arguments=arguments))
        return output

    def _value(self, time_ns: int) -> Value:
        return Value(np.array([self._joules]), time_ns)
