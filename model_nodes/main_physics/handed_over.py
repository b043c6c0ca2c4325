"""Other models' effects on bodies of the main model: attributes that they own, fidelities, changes during a run."""

from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hetwin_core.ensemble.errors import BadInput, Refused
from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import (
    EXTERNAL_WRENCH,
    FIDELITY,
    POSE,
    Fidelity,
    Floats,
    Value,
)
from hetwin_core.ensemble.validation import AboveZero, Strict, check
from model_nodes.main_physics.block import COLLISION, Block
from model_nodes.main_physics.engines.engine import Engine, Unsupported
from model_nodes.main_physics.settings import BodyChanges, Settings
from model_nodes.main_physics.world.description import World


class ExternalEffects:
    """Applies other models' poses, collisions and forces to bodies.

    Args:
        engine: engine with the bodies.
        block: the main model's attributes.

    Attributes:
        unsupported_forces: body -> reason why forces on it have no effect; empty once an event has reported it.
    """

    def __init__(self, engine: Engine, block: Block) -> None:
        self._engine, self._block = engine, block
        self.unsupported_forces: dict[str, str] = {}

    def follow(self, values: Mapping[tuple[str, str], Value]) -> None:
        """Apply other models' values for this step."""
        for (entity, attribute), value in values.items():
            if attribute == POSE.name:
                self._engine.follow(entity, value)
            elif attribute == COLLISION.name:
                self._set_collision(entity, value.data)
            elif attribute == EXTERNAL_WRENCH.name and self._block.can_move(entity, POSE.name):
                self._push(entity, value)

    def _push(self, entity: str, value: Value) -> None:
        """Apply a force; if the engine does not support that, an event reports it once per object."""
        try:
            self._engine.push(entity, value.data)
        except Unsupported as error:
            self.unsupported_forces.setdefault(entity, str(error))

    def _set_collision(self, entity: str, data: Floats) -> None:
        on = bool(data[0] >= 0.5)
        if self._block.set_collision(entity, on):
            self._engine.set_collision(entity, on)

    def events(self, time_ns: int) -> list[Event]:
        """Return the events of forces that the engine does not support."""
        new = {entity: reason for entity, reason in self.unsupported_forces.items() if reason}
        events = []
        for entity, reason in new.items():
            arguments: dict[str, Json] = {"object": entity, "remark": reason}
            events.append(Event("force_not_felt", time_ns, arguments=arguments))
            self.unsupported_forces[entity] = ""
        return events

    def take(self, entity: str, attribute: str, value: Value) -> None:
        """Take a body's pose or collision back.

        Raises:
            Refused: if the main model never hands this attribute over.
        """
        self._check(entity, attribute)
        if attribute == COLLISION.name:
            self._set_collision(entity, value.data)
        else:
            self._engine.hand_back(entity, value)

    def release(self, entity: str, attribute: str, time_ns: int) -> Value:
        """Hand a body's pose or collision over to another model; returns its value.

        Raises:
            Refused: if the main model never hands this attribute over, or the engine does not support it.
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
        """The state that changes during a run."""
        return {"unsupported_forces": self.unsupported_forces}

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Restore a saved `parts`."""
        self.unsupported_forces = parts["unsupported_forces"]


_UNCHANGED = BodyChanges()
SAVED_PARAMETERS = {"bodies", "grips"}
"""Parameters that may change during a run and are saved with it."""


class ChangeableParameters(Strict):
    """The parameters that may change during a run, as in `Settings`."""

    bodies: dict[str, BodyChanges] | None = None
    grips: dict[str, AboveZero] | None = None
    source: Any = None


def with_changes(settings: Settings, parameters: Mapping[str, Any]) -> Settings:
    """Return the settings with other values of some parameters.

    Raises:
        BadInput: if one of them cannot change during a run, or a value is invalid.
    """
    unknown = sorted(set(parameters) - set(ChangeableParameters.model_fields))
    if unknown:
        raise BadInput(
            "this parameter cannot change in a run",
            where=unknown[0],
            found=parameters[unknown[0]],
            expected=" or ".join(ChangeableParameters.model_fields),
        )
    changes = check(ChangeableParameters, dict(parameters))
    return settings.model_copy(update={name: getattr(changes, name) for name in parameters})


def change_bodies(
    engine: Engine, before: Mapping[str, BodyChanges], after: Mapping[str, BodyChanges]
) -> None:
    """Change the engine's bodies from their current differences from their files to other ones.

    Args:
        engine: engine with the bodies.
        before: current differences, by body.
        after: wanted differences; all other bodies become as in their files.

    Raises:
        Unsupported: if the engine cannot do this.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, _UNCHANGED), after.get(name, _UNCHANGED)
        if old == new:
            continue
        for key in ("friction", "bounce"):
            if getattr(old, key) is not None and getattr(new, key) is None:
                raise Unsupported(f"the {key} of {name} in its file was not kept")
        engine.change_body(
            name,
            mass=new.mass / old.mass,
            friction=1.0 if new.friction is not None else new.friction_factor / old.friction_factor,
            coefficient=new.friction,
            bounce=new.bounce,
        )


class FidelitySwitcher:
    """Reads the attribute ``fidelity`` of objects and links and sets it in the engine.

    An object is switched only when its level changes. `reset` sets all objects to high fidelity.

    Args:
        scene: the scene at the start.
        objects: names of the objects and links whose fidelity the engine can change.

    Attributes:
        any: whether any object or link has the attribute.
    """

    def __init__(self, scene: Snapshot, objects: Collection[str]) -> None:
        layout = scene.layout
        lowerable = set(objects)
        slots = (s for s in layout.slots if s.attribute.name == FIDELITY.name)
        controlled = [slot for slot in slots if slot.entity in lowerable]
        self._names = np.array([slot.entity for slot in controlled], np.str_)
        self._offsets = np.array([slot.offset for slot in controlled], np.intp)
        self._levels = np.full(len(controlled), float(Fidelity.HIGH))
        self.any = bool(controlled)

    def update(self, engine: Engine, scene: Snapshot) -> None:
        """Switch the objects whose level has changed."""
        wanted = scene.values[self._offsets]
        changed = np.flatnonzero(wanted != self._levels)
        if len(changed):
            levels = np.array([Fidelity.of(number) for number in wanted[changed].tolist()])
            for level in Fidelity:
                self._switch(engine, changed[levels == level], level)
            self._levels[changed] = wanted[changed]

    def reset(self, engine: Engine) -> None:
        """Set all objects to high fidelity."""
        lowered = np.flatnonzero(self._levels != float(Fidelity.HIGH))
        self._switch(engine, lowered, Fidelity.HIGH)
        self._levels[:] = float(Fidelity.HIGH)

    def _switch(self, engine: Engine, indices: np.ndarray, level: Fidelity) -> None:
        if len(indices):
            engine.set_fidelity(self._names[indices].tolist(), level)


_GRASPABLE = "graspable"
_MAX_PREPARED = 8
"""Maximum number of objects for whose changes an engine prepares."""


def objects_handed_over(settings: Settings, world: World) -> tuple[tuple[str, str], ...]:
    """Return (object, attribute) of the rigid objects that match `handed_over`, each once.

    If a pattern matches several objects and some have the tag `graspable`, only those are meant.
    """
    free = [b.name for b in world.bodies if not (b.static or b.robot or b.moving_joints)]
    pairs = (
        (name, attribute)
        for pattern, attribute in settings.handed_over
        for name in _matching_objects(pattern, free, settings)
    )
    return tuple(dict.fromkeys(pairs))


def _matching_objects(pattern: str, free: list[str], settings: Settings) -> Iterator[str]:
    names = [name for name in free if fnmatchcase(name, pattern)]
    graspable = [name for name in names if _GRASPABLE in settings.tags.get(name, ())]
    if len(names) > 1 and graspable:
        names = graspable
    if len(names) <= _MAX_PREPARED:
        yield from names
