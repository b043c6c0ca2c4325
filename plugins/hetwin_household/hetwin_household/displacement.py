"""Whether what is moveable is where it was at the start."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import StepInput
from hetwin_core.ensemble.parameters import Amount, Functional, Parameters, parameter
from hetwin_core.ensemble.scene.layout import EntityKind, Selection
from hetwin_core.ensemble.scene.rotations import angles_between
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats
from hetwin_household.state_model import Entities, State, StateModel


class Settings(Parameters):
    """The parameters of the model."""

    moveable: Functional = parameter("the entities with this functional attribute", {})
    way: Amount = parameter("something that is this far from its place has moved", 0.02, "m")
    turn: Amount = parameter("something that has turned by this angle has moved", 10.0, "deg")


class Displacement(StateModel):
    """Observes whether moveable things are off their places at the start, by 2 cm or 10 degrees.

    Events: ``moved_away`` and ``moved_back``, with ``object``.
    """

    settings_class = Settings

    state = State(
        name="moved",
        begins=("moved_away", "something is no longer where it was at the start"),
        ends=("moved_back", "something is back where it was at the start"),
        summary="Observes which moveable things are no longer where they were.",
        rate=20.0,
        known=True,
    )

    def read_settings(self, parameters: Mapping[str, Any]) -> Entities:
        """Read the settings; return what is moveable."""
        self._settings = Settings.read(parameters)
        return self._settings.moveable

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

    def holds(self, name: str, tick: StepInput) -> bool:
        """Whether something is off its place."""
        pose, place = tick.scene.pose(name), self._places[name]
        away = float(np.linalg.norm(pose[:3] - place[:3]))
        turned = math.degrees(float(angles_between(pose[3:7], place[3:7])))
        return away > self._settings.way or turned > self._settings.turn
