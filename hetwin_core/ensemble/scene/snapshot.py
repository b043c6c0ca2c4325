"""What a model sees of the scene at one time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints

PROXIMITY_COLUMNS = 12
"""Columns of a row of proximity: index of the object, index of the other entity, distance [m] (negative
inside), nearest point x y z, normal x y z from the other to the object, force on the object x y z [N]."""


def no_proximity() -> Floats:
    """An empty table of proximity."""
    return np.empty((0, PROXIMITY_COLUMNS), np.float64)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The scene at `time_ns`; read only.

    Poses in `values` are in the world frame, whatever frame their owner gives them in.

    Attributes:
        layout: where each attribute lies.
        models: names of the models, by the index used in `owners`.
        time_ns: simulated time.
        values: (layout.size,) all attributes.
        owners: (slots,) index of the responsible model.
        parents: (slots,) index of the entity in whose frame the owner gives the value, -1 for the world.
        proximity: (n, 12) what is near or touches what, see `PROXIMITY_COLUMNS`; all pairs of an object with
            another object, a static body or a link that are closer than the main model's proximity range.
    """

    layout: Layout
    models: tuple[str, ...]
    time_ns: int
    values: Floats
    owners: Ints
    parents: Ints
    proximity: Floats = field(default_factory=no_proximity)

    def get(self, entity: str, attribute: str) -> Floats:
        """The attribute's numbers, as a view.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return self.values[self.layout.range_of(entity, attribute)]

    def pose(self, entity: str) -> Floats:
        """Pose and twist of an entity in the world: x y z, qw qx qy qz, vx vy vz, wx wy wz."""
        return self.get(entity, "pose")

    def owner(self, entity: str, attribute: str) -> str:
        """Name of the responsible model."""
        return self.models[int(self.owners[self.layout.slot_id(entity, attribute)])]

    def parent(self, entity: str) -> str:
        """Name of the entity in whose frame the pose's owner gives it."""
        index = int(self.parents[self.layout.slot_id(entity, "pose")])
        return WORLD if index < 0 else self.layout.entities[index].name
