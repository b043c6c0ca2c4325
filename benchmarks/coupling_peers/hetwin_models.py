"""The trivial ensemble for hetwin: `Source` is the main model, `Follower` reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hetwin_core.ensemble.model import (
    AttributeStart,
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    ParameterKind,
    ParameterRequest,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import AttributeSpec, Value

LEVEL = AttributeSpec("level", 1)
SHARE = 0.1


def _contribution(name: str, reads: tuple[Selection, ...]) -> Contribution:
    start = AttributeStart(name, LEVEL, Value(np.zeros(1), 0))
    return Contribution((Entity(name, EntityKind.CONCEPT),), (start,), reads)


class Source(Model):
    """Counts up."""

    @classmethod
    def describe(cls) -> ModelDescription:
        """The main model."""
        return ModelDescription(
            ModelKind.SIMULATION, "counts up", provides=(LEVEL,), can_be_main=True
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Begin at 0."""
        self._level = np.zeros(1)
        return _contribution("source", ())

    def step(self, tick: StepInput) -> StepOutput:
        """One more."""
        self._level = self._level + 1.0
        return StepOutput(time_ns=tick.time_ns, block=self._level)


class Follower(Model):
    """Follows the source."""

    @classmethod
    def describe(cls) -> ModelDescription:
        """A model with one attribute."""
        return ModelDescription(ModelKind.SIMULATION, "follows", provides=(LEVEL,))

    def parameters(self) -> Sequence[ParameterRequest]:
        """Its entity's name."""
        return (ParameterRequest("entity", ParameterKind.TEXT),)

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Begin at 0."""
        self._level = 0.0
        self._key = (parameters["entity"], LEVEL.name)
        return _contribution(parameters["entity"], (Selection("source", LEVEL.name),))

    def start(self, scene: Snapshot) -> None:
        """Find the source's level."""
        self._source = scene.layout.range_of("source", LEVEL.name).start

    def step(self, tick: StepInput) -> StepOutput:
        """A tenth of the way."""
        self._level += SHARE * (float(tick.scene.values[self._source]) - self._level)
        return StepOutput(
            time_ns=tick.time_ns, values={self._key: Value(np.array((self._level,)), tick.time_ns)}
        )
