"""A glass that breaks on impact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_suite import (
    AttributeSpec,
    AttributeStart,
    Contribution,
    Event,
    Meaning,
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

INTACT = AttributeSpec("intact", 1, "", Meaning.TRUTH)
_FORCE = slice(9, 12)
"""Columns of a row of proximity with the force on the object [N]."""


class Glass(Model):
    """Breaks for good when a contact force exceeds its strength; raises ``broke`` with what it hit."""

    @classmethod
    def describe(cls) -> ModelDescription:
        """An observer of contact forces that owns a truth."""
        return ModelDescription(
            ModelKind.SIMULATION, "glass that breaks on impact", provides=(INTACT,)
        )

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """The glass and its strength."""
        number = ParameterKind.NUMBER
        return (
            ParameterRequest("glass", ParameterKind.ENTITY, "what is made of glass"),
            ParameterRequest("strength", number, "the force that it withstands", False, 60.0, "N"),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Begin unbroken."""
        self._glass = str(parameters["glass"])
        self._strength = float(parameters["strength"])
        self._intact = True
        start = AttributeStart(self._glass, INTACT, self._value(0))
        reads = Selection(self._glass, "pose"), Selection("*", "proximity")
        return Contribution(attributes=(start,), reads=reads)

    def step(self, tick: StepInput) -> StepOutput:
        """Compare the contact forces with its strength."""
        output = StepOutput(time_ns=tick.time_ns)
        scene = tick.scene
        rows = scene.proximity[scene.proximity[:, 0] == scene.layout.entity_id(self._glass)]
        if self._intact and len(rows):
            forces = np.linalg.norm(rows[:, _FORCE], axis=1)
            hardest = int(np.argmax(forces))
            if forces[hardest] > self._strength:
                self._intact = False
                other = scene.layout.entities[int(rows[hardest, 1])].name
                arguments = {"object": self._glass, "other": other, "force": float(forces[hardest])}
                output.events.append(Event("broke", tick.time_ns, arguments=arguments))
        output.values[self._glass, INTACT.name] = self._value(tick.time_ns)
        return output

    def _value(self, time_ns: int) -> Value:
        return Value(np.array([float(self._intact)]), time_ns)
