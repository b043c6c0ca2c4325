"""Whether what is moveable is where it was at the start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from hetwin_household.state_model import Entities, StateModel
from hetwin_household.truths import truth
from hetwin_suite.model import (
    POSE,
    Amount,
    BadInput,
    EntityKind,
    Floats,
    Functional,
    Parameters,
    Selection,
    Snapshot,
    Tick,
    angles_between,
    parameter,
)


class Settings(Parameters):
    """The parameters of the model."""

    moveable: Functional = parameter("the entities with this functional attribute", {})
    way: Amount = parameter("something that is this far from its place has moved", 0.02, "m")
    turn: Amount = parameter("something that has turned by this angle has moved", 10.0, "deg")


class Displacement(StateModel[Settings]):
    """Observes whether moveable things are off their places at the start, by 2 cm or 10 degrees.

    Events: ``moved_away`` and ``moved_back``, with ``object``.
    """

    summary = "Observes which moveable things are no longer where they were."
    rate = 20.0
    provides = (truth("moved"),)
    raises: ClassVar[Mapping[str, str]] = {
        "moved_away": "something is no longer where it was at the start: object",
        "moved_back": "something is back where it was at the start: object",
    }
    known = True

    def affected(self, settings: Settings) -> Entities:
        """Return what is moveable."""
        return settings.moveable

    def reads(self) -> Iterator[Selection]:
        """Iterate over the poses."""
        return (Selection(name, POSE.name) for name in self.entities)

    def start(self, scene: Snapshot) -> None:
        """Remember where everything is.

        Raises:
            BadInput: if something is static or has no pose.
        """
        self._places: dict[str, Floats] = {}
        for name in self.entities:
            static = scene.layout.entity(name).kind is EntityKind.STATIC
            if static or not scene.layout.has(name, POSE.name):
                raise BadInput(
                    "what is moveable is an object that moves freely",
                    where=f"moveable.{name}",
                    found="what is static" if static else "something without a pose",
                )
            self._places[name] = scene.pose(name)[:7].copy()

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether something is off its place."""
        pose, place = tick.scene.pose(name), self._places[name]
        away = float(np.linalg.norm(pose[:3] - place[:3]))
        turned = math.degrees(float(angles_between(pose[3:7], place[3:7])))
        return away > self.settings.way or turned > self.settings.turn
