"""One run's draw, and the scenario with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Draw:
    """What one run was drawn.

    Attributes:
        index: of the run in its batch.
        seed: of the run.
        inputs: what was drawn by name, e.g. ``box.pose.x``: of poses by how much they are off [m, rad], of numbers what
            is added, the factor, or the number itself.
        scene: entity -> {"pose": [7]} in the world, of those that are moved.
        parameters: model -> parameter -> value, of those that differ.
    """

    index: int
    seed: int
    inputs: Mapping[str, Json]
    scene: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def options(self, options: RunOptions) -> RunOptions:
        """Return what the start of the run says."""
        scene = {**options.scene}
        for entity, entry in self.scene.items():
            scene[entity] = {**scene.get(entity, {}), **entry}
        return replace(options, scene=scene, seed=self.seed)

    def of(self, scenario: Scenario) -> Scenario:
        """Return the scenario with the drawn parameters of its models."""
        if not self.parameters:
            return scenario
        entries = {
            name: entry.model_copy(
                update={"parameters": {**entry.parameters, **self.parameters.get(name, {})}}
            )
            for name, entry in scenario.file.models.items()
        }
        plans = tuple(
            replace(plan, parameters={**plan.parameters, **self.parameters.get(plan.name, {})})
            for plan in scenario.models
        )
        file = scenario.file.model_copy(update={"models": entries})
        return replace(scenario, file=file, models=plans)


AS_BELIEVED = Draw(-1, 0, {})
"""Nothing is drawn; it is none of the futures that are asked for, which count from 0."""
