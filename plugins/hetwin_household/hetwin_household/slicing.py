"""Cuts objects into parts with a blade."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from hetwin_household.boolean_attribute import BooleanAttribute, boolean_spec
from hetwin_household.cut import COLLISION, Cut, Stage
from hetwin_suite.model import (
    POSE,
    Amount,
    BadInput,
    Changes,
    Contribution,
    EntityKind,
    Functional,
    Model,
    Parameters,
    Refused,
    Snapshot,
    Tick,
    Value,
    parameter,
    perhaps,
)
from hetwin_suite.shapes import SceneShapes

SLICED = "sliced"
MASS_TOLERANCE = 0.02
"""Maximum relative difference between the mass of a whole and the total mass of its parts."""


class Settings(Parameters):
    """The parameters of the model."""

    sliceable: Functional = parameter("the entities with this functional attribute", {})
    speed: Amount = parameter("minimum speed of a blade that cuts", 0.02, "m/s")
    depth: Amount = parameter("maximum distance of the blade from the middle that cuts", 0.002, "m")


class Slicing(Model[Settings]):
    """Lets blades pass through sliceable objects, and replaces an object by its parts.

    Physics would stop a blade at the surface. As soon as a moving blade touches the object, the model owns the object's
    pose and collisions: the object stays still, and the blade enters. When the blade reaches the middle, the spare
    parts, which are modelled in the frame of the whole, are put at the object's pose and go to the main model; the
    object moves to the pose of the first part, where the model keeps it. If the blade leaves earlier, the object is
    handed back unchanged. Event: ``sliced``, with ``object`` and ``blade``.
    """

    summary = "Cuts things into parts with a blade."
    rate = 100.0
    provides = (boolean_spec(SLICED), POSE, COLLISION)
    raises: ClassVar[Mapping[str, str]] = {
        "sliced": "an object was cut into its parts: object, blade"
    }

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Contribute the attribute ``sliced`` of all sliceable objects."""
        names = tuple(self.settings.sliceable)
        self._sliced = BooleanAttribute(
            SLICED, names, "sliced", "made_whole", is_false_at_start=True
        )
        self._sliced.contribute(scene)
        scene.needs(("*", POSE.name))

    def start(self, scene: Snapshot) -> None:
        """Find blades and parts.

        Raises:
            BadInput: if one is missing, or the mass of the parts differs from that of the whole.
        """
        self._shapes = SceneShapes(scene.layout)
        self._cuts = {
            name: self._cut(scene, name, parameters)
            for name, parameters in self.settings.sliceable.items()
        }

    def _cut(self, scene: Snapshot, name: str, parameters: Mapping[str, Any]) -> Cut:
        layout, where = scene.layout, f"sliceable.{name}"
        objects = {entity.name: entity for entity in layout.of_kind(EntityKind.OBJECT)}
        for key, part in (("parts", name), *(("parts", part) for part in parameters["parts"])):
            if part not in objects:
                raise BadInput(
                    "an object to be cut and its parts must be objects that move freely",
                    where=f"{where}.{key}",
                    found=part,
                    expected=f"an object of the world{perhaps(part, objects)}",
                )
        blade = str(parameters["blade"])
        if not layout.has(blade, POSE.name):
            raise BadInput(
                "there is no such blade",
                where=f"{where}.blade",
                found=blade,
                expected=f"an object or a link{perhaps(blade, [e.name for e in layout.entities])}",
            )
        mass = sum(objects[part].mass for part in parameters["parts"])
        if abs(mass - objects[name].mass) > MASS_TOLERANCE * objects[name].mass:
            raise BadInput(
                "the mass of the parts differs from that of the whole",
                where=f"{where}.parts",
                found=f"{mass:g} kg",
                expected=f"{objects[name].mass:g} kg together",
            )
        return Cut(name, tuple(parameters["parts"]), blade)

    def step(self, tick: Tick) -> Changes:
        """Update the cuts from the poses of the blades."""
        changes = tick.changes()
        if self._cuts:
            self._shapes.update(tick.scene)
        for name, cut in self._cuts.items():
            if cut.stage is Stage.WHOLE:
                speed = self.settings.speed
                cut.begin(tick.scene, self._shapes, speed, changes)
            elif cut.stage is Stage.INSIDE:
                cut.advance(tick.scene, self._shapes, self.settings.depth, changes)
            cut.write(changes)
            self._sliced.write(name, holds=cut.is_done, changes=changes, blade=cut.blade)
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take the pose or the collisions of a whole, or the pose of a part.

        Raises:
            Refused: if it is neither.
        """
        for cut in self._cuts.values():
            if cut.take(entity, attribute, scene):
                return
        raise Refused(f"{entity}.{attribute} does not belong to a sliceable object or its parts")

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release a pose unchanged, or collisions as enabled.

        Raises:
            Refused: if the model is not responsible for it.
        """
        for cut in self._cuts.values():
            value = cut.release(entity, attribute, scene)
            if value is not None:
                return value
        raise Refused(f"slicing is not responsible for {entity}.{attribute}")
