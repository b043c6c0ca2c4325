"""The attributes of bodies that other models are responsible for, in the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import EXTERNAL_WRENCH, POSE, Floats, Value
from model_nodes.main_physics.block import COLLISION, Block
from model_nodes.main_physics.engines.engine import Engine, Unsupported


class Foreign:
    """Lets bodies follow other models' poses, collide as these say, and feel their forces.

    Args:
        engine: in which they move.
        block: the main model's attributes.

    Attributes:
        unfelt: body -> why forces on it have no effect; an empty text once that was reported.
    """

    def __init__(self, engine: Engine, block: Block) -> None:
        self._engine, self._block = engine, block
        self.unfelt: dict[str, str] = {}

    def follow(self, values: Mapping[tuple[str, str], Value]) -> None:
        """Apply what other models say about this step."""
        for (entity, attribute), value in values.items():
            if attribute == POSE.name:
                self._engine.follow(entity, value)
            elif attribute == COLLISION.name:
                self._set_collision(entity, value.data)
            elif attribute == EXTERNAL_WRENCH.name and self._block.can_move(entity, POSE.name):
                self._push(entity, value)

    def _push(self, entity: str, value: Value) -> None:
        """Apply a force; if the engine does not support it, an event reports that once for each object."""
        try:
            self._engine.push(entity, value.data)
        except Unsupported as error:
            self.unfelt.setdefault(entity, str(error))

    def _set_collision(self, entity: str, data: Floats) -> None:
        on = bool(data[0] >= 0.5)
        if self._block.set_collision(entity, on):
            self._engine.set_collision(entity, on)

    def events(self, time_ns: int) -> list[Event]:
        """Return the events of forces that the engine does not support."""
        new = {entity: why for entity, why in self.unfelt.items() if why}
        events = []
        for entity, why in new.items():
            arguments: dict[str, Json] = {"object": entity, "remark": why}
            events.append(Event("force_not_felt", time_ns, arguments=arguments))
            self.unfelt[entity] = ""
        return events

    def take(self, entity: str, attribute: str, value: Value) -> None:
        """Hand a body's pose or collision back to the engine.

        Raises:
            Refused: if the main model never hands it over.
        """
        self._check(entity, attribute)
        if attribute == COLLISION.name:
            self._set_collision(entity, value.data)
        else:
            self._engine.hand_back(entity, value)

    def release(self, entity: str, attribute: str, time_ns: int) -> Value:
        """Let a body's pose or collision be another model's; returns its value.

        Raises:
            Refused: if the main model never hands it over, or the engine cannot follow.
        """
        self._check(entity, attribute)
        value = Value(self._block.value(entity, attribute), time_ns)
        if attribute == POSE.name:
            try:
                self._engine.follow(entity, value)
            except Unsupported as error:
                raise Refused(str(error)) from error
        return value

    def _check(self, entity: str, attribute: str) -> None:
        if not self._block.can_move(entity, attribute):
            raise Refused(
                f"the main model keeps {entity}.{attribute}: it can hand over only the pose and the collision"
                " of free objects"
            )

    @property
    def parts(self) -> dict[str, Any]:
        """What of it changes in a run."""
        return {"unsupported_forces": self.unfelt}

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Be as some saved `parts`."""
        self.unfelt = parts["unsupported_forces"]
