"""Whether cups, jugs and bowls are filled."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.parameters import Amount, Functional, Parameters, parameter
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import particles
from model_nodes.household.truths import Truths, truth

FILLED = "filled"
PARTICLES = "particles"
PACKING = 0.64
"""Share of its volume that a heap of balls fills (random close packing)."""


class Settings(Parameters):
    """The parameters of the model."""

    fillable: Functional = parameter("the entities with this functional attribute", {})
    threshold: Amount = parameter("it is filled above this share of its capacity", 0.2, le=1)


class FillLevel(Model):
    """Judges by the particles that a fluid's model has in it whether something is filled.

    The liquid's volume is that of the heap of its particles. Something that no model fills is not filled. Events:
    ``filled`` and ``emptied``, with ``object``.
    """

    settings_class = Settings

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(
            kind=ModelKind.OBSERVER,
            summary="Observes which cups, jugs and bowls are filled.",
            rate=10.0,
            provides=(truth(FILLED),),
            raises={
                "filled": "something was filled with liquid: object",
                "emptied": "something is not filled any more: object",
            },
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Contribute the attribute ``filled`` of all that is fillable."""
        self._settings = Settings.read(parameters)
        names = tuple(self._settings.fillable)
        self._filled = Truths(FILLED, names, "filled", "emptied")
        reads = tuple(Selection(name, PARTICLES) for name in names)
        return Contribution(attributes=self._filled.starts(), reads=reads, reads_proximity=False)

    def step(self, tick: StepInput) -> StepOutput:
        """Compare each volume with the capacity."""
        output = StepOutput(time_ns=tick.time_ns)
        for name, given in self._settings.fillable.items():
            share = _volume(tick.scene, name) / float(given["capacity"])
            self._filled.put(name, holds=share > self._settings.threshold, output=output)
        return output


def _volume(scene: Snapshot, name: str) -> float:
    """Return the volume of the liquid in something [m3]."""
    if not scene.layout.has(name, PARTICLES):
        return 0.0
    radii = particles(scene.get(name, PARTICLES))[:, 6]
    return float(np.sum(4.0 / 3.0 * math.pi * radii**3)) / PACKING
