"""Observes whether doors, drawers and lids are open."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from hetwin_household.boolean_attribute import boolean_spec
from hetwin_household.state_model import Entities, StateModel
from hetwin_suite.model import (
    BadInput,
    Functional,
    Parameters,
    Selection,
    Snapshot,
    Tick,
    one_of,
    parameter,
)

POSITIONS = "joint_positions"


class Settings(Parameters):
    """The parameters of the model."""

    openable: Functional = parameter("the entities with this functional attribute", {})


class Openness(StateModel[Settings]):
    """Judges by the position of a joint within its range whether an entity is open.

    The main model moves the joint. By default, an entity is open above a tenth of the range from closed to fully open.
    Events: ``opened`` and ``closed``, with ``object``.
    """

    summary = "Observes which doors, drawers and lids are open."
    rate = 20.0
    provides = (boolean_spec("open"),)
    raises: ClassVar[Mapping[str, str]] = {
        "opened": "a door, a drawer or a lid was opened: object",
        "closed": "a door, a drawer or a lid was closed: object",
    }

    def affected(self, settings: Settings) -> Entities:
        """Return the openable entities."""
        return settings.openable

    def reads(self) -> Iterator[Selection]:
        """Select the positions of the joints."""
        return (Selection(name, POSITIONS) for name in self.entities)

    def start(self, scene: Snapshot) -> None:
        """Find the joints.

        Raises:
            BadInput: if a joint is missing in the scene.
        """
        self._indices = {name: self._joint(scene, name) for name in self.entities}

    def _joint(self, scene: Snapshot, name: str) -> int:
        joint_name, joints = str(self.entities[name]["joint"]), scene.layout.entity(name).joints
        names = [joint.removeprefix(f"{name}::") for joint in joints]
        name_in_entity = joint_name.removeprefix(f"{name}::")
        if name_in_entity not in names or not scene.layout.has(name, POSITIONS):
            raise BadInput(
                "it has no such joint",
                where=f"openable.{name}.joint",
                found=joint_name,
                expected=one_of(name_in_entity, names),
            )
        return names.index(name_in_entity)

    def holds(self, name: str, tick: Tick) -> bool:
        """Whether a joint is beyond its threshold."""
        parameters, position = (
            self.entities[name],
            tick.scene.get(name, POSITIONS)[self._indices[name]],
        )
        fraction = (float(position) - parameters["closed"]) / (
            parameters["opened"] - parameters["closed"]
        )
        return bool(fraction > parameters["threshold"])
