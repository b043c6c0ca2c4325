"""Observes whether cups, jugs and bowls are filled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from hetwin_household.boolean_attribute import boolean_spec
from hetwin_household.state_model import Entities, StateModel
from hetwin_suite.model import (
    Amount,
    Functional,
    Parameters,
    Selection,
    Snapshot,
    Tick,
    parameter,
    particles,
)

PARTICLES = "particles"
PACKING = 0.64
"""Volume fraction of spheres in a heap (random close packing)."""


class Settings(Parameters):
    """The parameters of the model."""

    fillable: Functional = parameter("the entities with this functional attribute", {})
    threshold: Amount = parameter("share of its capacity above which it is filled", 0.2, le=1)


class FillLevel(StateModel[Settings]):
    """Judges whether an entity is filled by the particles that a fluid model has in it.

    The liquid's volume is that of the heap of its particles. An entity without a fluid model is not filled. Events:
    ``filled`` and ``emptied``, with ``object``.
    """

    summary = "Observes which cups, jugs and bowls are filled."
    rate = 10.0
    provides = (boolean_spec("filled"),)
    raises: ClassVar[Mapping[str, str]] = {
        "filled": "something was filled with liquid: object",
        "emptied": "something is no longer filled: object",
    }

    def affected(self, settings: Settings) -> Entities:
        """Return the fillable entities."""
        return settings.fillable

    def reads(self) -> Iterator[Selection]:
        """Select the particles of each entity."""
        return (Selection(name, PARTICLES) for name in self.entities)

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether the liquid's volume exceeds the threshold's share of the capacity."""
        fraction = _volume(tick.scene, name) / float(self.entities[name]["capacity"])
        return fraction > self.settings.threshold


def _volume(scene: Snapshot, name: str) -> float:
    """Return the volume of the liquid in an entity [m3]."""
    if not scene.layout.has(name, PARTICLES):
        return 0.0
    radii = particles(scene.get(name, PARTICLES))[:, 6]
    return float(np.sum(4.0 / 3.0 * math.pi * radii**3)) / PACKING
