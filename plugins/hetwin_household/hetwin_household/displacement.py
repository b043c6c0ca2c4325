"""Observes whether moveable objects have left their initial poses."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from hetwin_household.boolean_attribute import boolean_spec
from hetwin_household.state_model import Entities, StateModel
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
    way: Amount = parameter("minimum distance from the initial position", 0.02, "m")
    turn: Amount = parameter("minimum angle from the initial orientation", 10.0, "deg")


class Displacement(StateModel[Settings]):
    """Observes whether moveable objects are off their initial poses, by default by 2 cm or 10 degrees.

    Events: ``moved_away`` and ``moved_back``, with ``object``.
    """

    summary = "Observes which moveable objects have left their initial poses."
    rate = 20.0
    provides = (boolean_spec("moved"),)
    raises: ClassVar[Mapping[str, str]] = {
        "moved_away": "an object has left its initial pose: object",
        "moved_back": "an object is back at its initial pose: object",
    }
    known = True

    def affected(self, settings: Settings) -> Entities:
        """Return the moveable entities."""
        return settings.moveable

    def reads(self) -> Iterator[Selection]:
        """Select the poses of the entities."""
        return (Selection(name, POSE.name) for name in self.entities)

    def start(self, scene: Snapshot) -> None:
        """Store the initial poses.

        Raises:
            BadInput: if an entity is static or has no pose.
        """
        self._initial_poses: dict[str, Floats] = {}
        for name in self.entities:
            is_static = scene.layout.entity(name).kind is EntityKind.STATIC
            if is_static or not scene.layout.has(name, POSE.name):
                raise BadInput(
                    "a moveable entity must be an object that moves freely",
                    where=f"moveable.{name}",
                    found="a static entity" if is_static else "an entity without a pose",
                )
            self._initial_poses[name] = scene.pose(name)[:7].copy()

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether an object is off its initial pose."""
        pose, initial = tick.scene.pose(name), self._initial_poses[name]
        distance = float(np.linalg.norm(pose[:3] - initial[:3]))
        angle = math.degrees(float(angles_between(pose[3:7], initial[3:7])))
        return distance > self.settings.way or angle > self.settings.turn
