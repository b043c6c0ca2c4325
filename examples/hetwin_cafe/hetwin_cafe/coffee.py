"""A cup of coffee that cools."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_suite import (
    AttributeSpec,
    AttributeStart,
    BadInput,
    Contribution,
    Json,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    Refused,
    StepInput,
    StepOutput,
    Value,
)

TEMPERATURE = AttributeSpec("temperature", 1, "K")


class Coffee(Model):
    """Newton's law of cooling for what is in a cup; its command ``pour`` fills the cup anew."""

    @classmethod
    def describe(cls) -> ModelDescription:
        """A simulation of one temperature."""
        return ModelDescription(
            ModelKind.SIMULATION, "coffee that cools", rate=10.0, provides=(TEMPERATURE,)
        )

    def parameters(self) -> tuple[ParameterRequest, ...]:
        """The cup, its temperature and that of the room, and how fast it cools."""
        number = ParameterKind.NUMBER
        return (
            ParameterRequest("cup", ParameterKind.ENTITY, "what holds the coffee"),
            ParameterRequest("hot", number, "when it is poured", False, 353.0, "K"),
            ParameterRequest("room", number, "what it cools towards", False, 293.0, "K"),
            ParameterRequest("time_constant", number, "of the cooling", False, 1200.0, "s"),
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Pour.

        Raises:
            BadInput: if the time constant is not positive.
        """
        self._cup = str(parameters["cup"])
        self._hot, self._room = float(parameters["hot"]), float(parameters["room"])
        self._time_constant = float(parameters["time_constant"])
        if self._time_constant <= 0:
            raise BadInput(
                "coffee does not heat itself",
                where="time_constant",
                found=self._time_constant,
                expected="a number above 0",
            )
        self._kelvin = self._hot
        return Contribution(
            attributes=(AttributeStart(self._cup, TEMPERATURE, self._value(0)),), reads=()
        )

    def step(self, tick: StepInput) -> StepOutput:
        """Cool, exactly for any length of a step."""
        left = math.exp(-tick.period_ns / 1e9 / self._time_constant)
        self._kelvin = self._room + (self._kelvin - self._room) * left
        value = self._value(tick.time_ns)
        return StepOutput(time_ns=tick.time_ns, values={(self._cup, TEMPERATURE.name): value})

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Pour hot coffee."""
        if name != "pour":
            raise Refused(f"coffee has no command {name!r}; it has pour")
        self._kelvin = self._hot

    def _value(self, time_ns: int) -> Value:
        return Value(np.array([self._kelvin]), time_ns)
