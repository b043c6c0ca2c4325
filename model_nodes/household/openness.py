"""Whether doors, drawers and lids are open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.errors import BadInput
from hetwin_core.ensemble.model import (
    Contribution,
    Model,
    ModelDescription,
    ModelKind,
    StepInput,
    StepOutput,
)
from hetwin_core.ensemble.nearest import one_of
from hetwin_core.ensemble.parameters import Functional, Parameters, parameter
from hetwin_core.ensemble.scene.layout import Selection
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.household.truths import Truths, truth

OPEN = "open"
POSITIONS = "joint_positions"


class Settings(Parameters):
    """The parameters of the model."""

    openable: Functional = parameter("the entities with this functional attribute", {})


class Openness(Model):
    """Judges by a joint's share of its travel whether something is open.

    The main model moves the joint. Something is open above a tenth of the travel from closed to wide open, unless its
    attribute says otherwise. Events: ``opened`` and ``closed``, with ``object``.
    """

    settings_class = Settings

    @classmethod
    def describe(cls) -> ModelDescription:
        """Describe the model."""
        return ModelDescription(
            kind=ModelKind.OBSERVER,
            summary="Observes which doors, drawers and lids are open.",
            rate=20.0,
            provides=(truth(OPEN),),
            raises={
                "opened": "a door, a drawer or a lid was opened: object",
                "closed": "a door, a drawer or a lid was closed: object",
            },
        )

    def initialize(self, parameters: Mapping[str, Any], seed: int) -> Contribution:
        """Contribute the attribute ``open`` of all that is openable."""
        self._doors = Settings.read(parameters).openable
        self._open = Truths(OPEN, self._doors, "opened", "closed")
        reads = tuple(Selection(name, POSITIONS) for name in self._doors)
        return Contribution(attributes=self._open.starts(), reads=reads, reads_proximity=False)

    def start(self, scene: Snapshot) -> None:
        """Find the joints.

        Raises:
            BadInput: if there is no such joint.
        """
        self._indices = {name: self._joint(scene, name) for name in self._doors}

    def _joint(self, scene: Snapshot, name: str) -> int:
        given, joints = str(self._doors[name]["joint"]), scene.layout.entity(name).joints
        short = [joint.removeprefix(f"{name}::") for joint in joints]
        wanted = given.removeprefix(f"{name}::")
        if wanted not in short or not scene.layout.has(name, POSITIONS):
            raise BadInput(
                "it has no such joint",
                where=f"openable.{name}.joint",
                found=given,
                expected=one_of(wanted, short),
            )
        return short.index(wanted)

    def step(self, tick: StepInput) -> StepOutput:
        """Compare each joint with its threshold."""
        output = StepOutput(time_ns=tick.time_ns)
        for name, door in self._doors.items():
            position = float(tick.scene.get(name, POSITIONS)[self._indices[name]])
            share = (position - door["closed"]) / (door["opened"] - door["closed"])
            self._open.put(name, holds=share > door["threshold"], output=output)
        return output
