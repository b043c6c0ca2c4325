"""A cup of coffee that cools."""

from __future__ import annotations

import math
from collections.abc import Mapping

from hetwin_suite.model import (
    AttributeSpec,
    Changes,
    Contribution,
    EntityName,
    Json,
    Model,
    Parameters,
    Refused,
    Tick,
    parameter,
)

TEMPERATURE = AttributeSpec("temperature", 1, "K")


class CoffeeSettings(Parameters):
    """The cup, its temperature and that of the room, and how fast it cools."""

    cup: EntityName = parameter("what holds the coffee")
    hot: float = parameter("when it is poured", 353.0, "K")
    room: float = parameter("what it cools towards", 293.0, "K")
    time_constant: float = parameter("of the cooling", 1200.0, "s", gt=0)


class Coffee(Model[CoffeeSettings]):
    """Coffee that cools by Newton's law; its command ``pour`` fills the cup anew."""

    rate = 10.0
    provides = (TEMPERATURE,)

    def initialize(self, settings: CoffeeSettings, scene: Contribution) -> None:
        """Pour."""
        self._kelvin = settings.hot
        scene.set(settings.cup, TEMPERATURE, self._kelvin)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Cool, exactly for any length of a step."""
        left = math.exp(-tick.period / self.settings.time_constant)
        self._kelvin = self.settings.room + (self._kelvin - self.settings.room) * left
        return tick.changes().set(self.settings.cup, TEMPERATURE, self._kelvin)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Pour hot coffee."""
        if name != "pour":
            raise Refused(f"coffee has no command {name!r}; it has pour")
        self._kelvin = self.settings.hot
