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
    """The cup, its temperature and the room's, and the time constant of cooling."""

    cup: EntityName = parameter("cup with the coffee")
    hot: float = parameter("temperature of poured coffee", 353.0, "K")
    room: float = parameter("temperature of the room", 293.0, "K")
    time_constant: float = parameter("time constant of cooling", 1200.0, "s", gt=0)


class Coffee(Model[CoffeeSettings]):
    """Coffee that cools by Newton's law; its command ``pour`` refills the cup."""

    rate = 10.0
    provides = (TEMPERATURE,)

    def initialize(self, settings: CoffeeSettings, scene: Contribution) -> None:
        """Fill the cup with hot coffee."""
        self._kelvin = settings.hot
        scene.set(settings.cup, TEMPERATURE, self._kelvin)
        scene.needs()

    def step(self, tick: Tick) -> Changes:
        """Cool the coffee, exactly for any length of a step."""
        remaining_fraction = math.exp(-tick.period / self.settings.time_constant)
        self._kelvin = self.settings.room + (self._kelvin - self.settings.room) * remaining_fraction
        return tick.changes().set(self.settings.cup, TEMPERATURE, self._kelvin)

    def command(self, name: str, arguments: Mapping[str, Json]) -> None:
        """Refill the cup with hot coffee."""
        if name != "pour":
            raise Refused(f"coffee has no command {name!r}; it has pour")
        self._kelvin = self.settings.hot
