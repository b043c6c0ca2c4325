"""The draw of one run: its differences from the scenario."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hetwin_core.ensemble.conductor.checkpoint import SOURCE
from hetwin_core.ensemble.conductor.start.options import RunOptions
from hetwin_core.ensemble.events import Json
from hetwin_core.ensemble.scenario.recorded import RECORDING, believed_scene
from hetwin_core.ensemble.scenario.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Draw:
    """Differences of one run from its scenario and start options: drawn values and other changes.

    Attributes:
        index: index of the run in its study.
        seed: seed of the run; None: that of the start options.
        inputs: drawn values by name, e.g. ``box.pose.x``. A pose has offsets [m, rad]; a number has the addend, the
            factor, or the number itself.
        scene: moved entity -> {"pose": [7]} in the world frame.
        parameters: model -> changed parameter -> value.
        source: recording that the run replays from its start; None: the source of the start options.
    """

    index: int
    seed: int | None
    inputs: Mapping[str, Json] = field(default_factory=dict)
    scene: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    source: str | None = None

    def __str__(self) -> str:
        return f"run {self.index}"

    @classmethod
    def of_episode(cls, folder: Path, index: int = 0) -> Draw:
        """Return the draw with which a run replays a recorded episode in the scene that its robot believed.

        Raises:
            BadInput: if the episode's scene cannot be read.
        """
        scene = believed_scene(str(folder))
        return cls(index, None, scene=scene, source=str(folder / RECORDING))

    def with_pose(self, entity: str, pose: Sequence[float]) -> Draw:
        """Return a copy with another pose of an entity: x y z qw qx qy qz in the world frame."""
        return replace(self, scene={**self.scene, entity: {"pose": [*map(float, pose)]}})

    def with_parameters(self, model: str, values: Mapping[str, Any]) -> Draw:
        """Return a copy with changed parameters of a model."""
        changed = {**self.parameters.get(model, {}), **values}
        return replace(self, parameters={**self.parameters, model: changed})

    def with_source(self, main: str, source: Mapping[str, Any]) -> Draw:
        """Return a copy in which the robot follows another source from the moment on.

        Args:
            main: name of the main model.
            source: e.g. ``{"plan": [...]}``.
        """
        return self.with_parameters(main, {SOURCE: source})

    @property
    def replaces_source(self) -> bool:
        """Whether the robot follows another source than in the run that is continued."""
        return any(SOURCE in changed for changed in self.parameters.values())

    def options(self, options: RunOptions) -> RunOptions:
        """Return start options with this draw's scene, seed and source."""
        scene = {**options.scene}
        for entity, entry in self.scene.items():
            scene[entity] = {**scene.get(entity, {}), **entry}
        source = options.source if self.source is None else self.source
        seed = options.seed if self.seed is None else self.seed
        return replace(options, scene=scene, seed=seed, source=source)

    def of(self, scenario: Scenario) -> Scenario:
        """Return the scenario with this draw's parameters of its models."""
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
"""The draw without differences. Its index is negative, as requested futures count from 0."""
