"""The scene at one time, as models read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.tables import NO_PROXIMITY, PROXIMITY, Table
from hetwin_core.ensemble.scene.values import WORLD, Floats, Ints, Value


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The scene at `time_ns`; read only.

    Poses in `values` are in the world frame, whichever frame their owner returns them in.

    Attributes:
        layout: entities, and the place of each attribute in `values`.
        models: names of the models, by the index used in `owners`.
        time_ns: simulated time.
        values: (layout.size,) all attributes.
        owners: (slots,) index of the responsible model.
        parents: (slots,) index of the entity in whose frame the owner returns the value, -1 for the world.
        tables: the last one that the main model has made of each kind, by name; computed when they are read.
    """

    layout: Layout
    models: tuple[str, ...]
    time_ns: int
    values: Floats
    owners: Ints
    parents: Ints
    tables: Mapping[str, Table] = field(default_factory=dict)

    @property
    def proximity(self) -> Floats:
        """(n, 12) pairs that are near each other or touch.

        Index of the object, index of the other entity, distance [m] (negative: penetration), nearest point x y z [m],
        normal x y z from the other to the object, force on the object x y z [N]; all pairs of an object with another
        object, a static body or a link that are closer than the main model's proximity range.
        """
        near = self.tables.get(PROXIMITY, NO_PROXIMITY)
        return near.rows() if near.known is None else near.known

    @property
    def near(self) -> Table:
        """The table `proximity`; it is costly, and most steps go by without a reader."""
        return self.tables.get(PROXIMITY, NO_PROXIMITY)

    def get(self, entity: str, attribute: str) -> Floats:
        """The attribute's numbers, as a view.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return self.values[self.layout.range_of(entity, attribute)]

    def value(self, entity: str, attribute: str) -> Value:
        """The attribute's value now, as a copy; a pose is in the world frame.

        Raises:
            KeyError: if the scene has no such attribute.
        """
        return Value(self.get(entity, attribute).copy(), self.time_ns)

    def pose(self, entity: str) -> Floats:
        """Pose and twist of an entity in the world: x y z, qw qx qy qz, vx vy vz, wx wy wz."""
        return self.get(entity, "pose")

    def owner(self, entity: str, attribute: str) -> str:
        """Name of the responsible model."""
        return self.models[int(self.owners[self.layout.slot_id(entity, attribute)])]

    def parent(self, entity: str) -> str:
        """Name of the entity in whose frame the pose's owner returns it."""
        index = int(self.parents[self.layout.slot_id(entity, "pose")])
        return WORLD if index < 0 else self.layout.entities[index].name
