"""Simulates the temperature of objects near and inside sources of heat and cold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

from hetwin_household.boolean_attribute import BooleanAttribute, boolean_spec
from hetwin_household.heat_sources import HeatSource
from hetwin_suite.model import (
    Amount,
    AttributeSpec,
    BadInput,
    Changes,
    Contribution,
    EntityNames,
    EvaluationError,
    Functional,
    Model,
    Parameters,
    Selection,
    Snapshot,
    Tick,
    all_evaluators,
    parameter,
)
from hetwin_suite.shapes import SceneShapes

TEMPERATURE = AttributeSpec("temperature", 1, "K")
HOT, COLD = "hot", "cold"


class Settings(Parameters):
    """The parameters of the model."""

    heatable: Functional = parameter("entities that heat others", {})
    coolable: Functional = parameter("entities that cool others", {})
    objects: EntityNames = parameter("objects with a temperature", "*")
    room: Amount = parameter("temperature of the room, and of everything at the start", 296.15, "K")
    room_rate: Amount = parameter(
        "rate at which the difference to the room's temperature decays", 5e-4, "1/s"
    )
    hot: Amount = parameter("an object above this is hot", 318.15, "K")
    cold: Amount = parameter("an object below this is cold", 283.15, "K")


class Temperature(Model[Settings]):
    """Simulates dT/dt = sum of rate (T_source - T) over active sources + room_rate (room - T) for every object.

    The sum is over the sources that are near the object or contain it, and whose `when` is true, at the end of the
    step. A source does not act on itself. The equation is solved exactly for the step. Events: ``became_hot``,
    ``no_longer_hot``, ``became_cold``, ``no_longer_cold``, with ``object``. After BEHAVIOR (Li et al., 2022).
    """

    summary = "Temperature of objects beside and inside sources of heat and cold."
    rate = 10.0
    provides = (TEMPERATURE, boolean_spec(HOT), boolean_spec(COLD))
    raises: ClassVar[Mapping[str, str]] = {
        "became_hot": "an object has become hot: object",
        "no_longer_hot": "an object is no longer hot: object",
        "became_cold": "an object has become cold: object",
        "no_longer_cold": "an object is no longer cold: object",
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the temperature of all objects, which starts as the room's."""
        self._hot = BooleanAttribute(HOT, settings.objects, "became_hot", "no_longer_hot")
        self._cold = BooleanAttribute(COLD, settings.objects, "became_cold", "no_longer_cold")
        self._temperatures = dict.fromkeys(settings.objects, settings.room)
        for name, kelvin in self._temperatures.items():
            scene.set(name, TEMPERATURE, kelvin)
        self._hot.contribute(scene)
        self._cold.contribute(scene)
        scene.needs(Selection())

    def start(self, scene: Snapshot) -> None:
        """Find the sources.

        Raises:
            BadInput: if the `when` of a source cannot be evaluated, or a source that must contain objects has no shape.
        """
        sources_by_attribute = {
            "heatable": self.settings.heatable,
            "coolable": self.settings.coolable,
        }
        self._functions = all_evaluators()
        self._shapes = SceneShapes(scene.layout)
        self._sources = [
            HeatSource(entity, source, scene.layout, f"{attribute}.{entity}")
            for attribute, sources in sources_by_attribute.items()
            for entity, source in sources.items()
        ]
        for source in self._sources:
            source.check(self._functions)

    def step(self, tick: Tick) -> Changes:
        """Solve the equation from the last step to this one."""
        changes = tick.changes()
        active = self._active_sources(tick.scene)
        if active:
            self._shapes.update(tick.scene)
        for name, kelvin in self._temperatures.items():
            nearby = [s for s in active if s.reaches(name, tick.scene, self._shapes)]
            temperature = self._temperatures[name] = self._integrate(
                kelvin, nearby, tick.period_ns / 1e9
            )
            changes.set(name, TEMPERATURE, temperature)
            self._hot.write(name, holds=temperature > self.settings.hot, changes=changes)
            self._cold.write(name, holds=temperature < self.settings.cold, changes=changes)
        return changes

    def _active_sources(self, scene: Snapshot) -> list[HeatSource]:
        """Return the sources that are active.

        Raises:
            BadInput: if the `when` of a source cannot be evaluated.
        """
        try:
            return [source for source in self._sources if source.is_active(scene, self._functions)]
        except EvaluationError as error:
            raise BadInput(f"cannot evaluate whether a source is active: {error}") from None

    def _integrate(self, kelvin: float, sources: list[HeatSource], seconds: float) -> float:
        """Return the temperature after some seconds with constant sources, from `kelvin` on."""
        room, rate = self.settings.room, self.settings.room_rate
        total = rate + sum(source.rate for source in sources)
        if total == 0.0:
            return kelvin
        equilibrium = (rate * room + sum(s.rate * s.temperature for s in sources)) / total
        return equilibrium + (kelvin - equilibrium) * math.exp(-total * seconds)
