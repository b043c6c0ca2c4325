"""Whether cups, jugs and bowls are filled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

import numpy as np

from hetwin_household.state_model import Entities, StateModel
from hetwin_household.truths import truth
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
"""Share of its volume that a heap of balls fills (random close packing)."""


class Settings(Parameters):
    """The parameters of the model."""

    fillable: Functional = parameter("the entities with this functional attribute", {})
    threshold: Amount = parameter("it is filled above this share of its capacity", 0.2, le=1)


class FillLevel(StateModel[Settings]):
    """Judges by the particles that a fluid's model has in it whether something is filled.

    The liquid's volume is that of the heap of its particles. Something that no model fills is not filled. Events:
    ``filled`` and ``emptied``, with ``object``.
    """

    summary = "Observes which cups, jugs and bowls are filled."
    rate = 10.0
    provides = (truth("filled"),)
    raises: ClassVar[Mapping[str, str]] = {
        "filled": "something was filled with liquid: object",
        "emptied": "something is not filled any more: object",
    }

    def affected(self, settings: Settings) -> Entities:
        """Return what is fillable."""
        return settings.fillable

    def reads(self) -> Iterator[Selection]:
        """Iterate over the particles."""
        return (Selection(name, PARTICLES) for name in self.entities)

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether there is more in something than the threshold's share of its capacity."""
        share = _volume(tick.scene, name) / float(self.entities[name]["capacity"])
        return share > self.settings.threshold


def _volume(scene: Snapshot, name: str) -> float:
    """Return the volume of the liquid in something [m3]."""
    if not scene.layout.has(name, PARTICLES):
        return 0.0
    radii = particles(scene.get(name, PARTICLES))[:, 6]
    return float(np.sum(4.0 / 3.0 * math.pi * radii**3)) / PACKING
