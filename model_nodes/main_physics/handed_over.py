"""Effects of others on bodies of the main model: attributes that they own, fidelities, and changes in a run."""

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


class Foreign:
    """Lets bodies follow other models' poses, collide by these, and feel their forces.

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
        """Apply other models' values of this step."""
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
        """The parts of it that change in a run."""
        return {"unsupported_forces": self.unfelt}

    def restore(self, parts: Mapping[str, Any]) -> None:
        """Be as some saved `parts`."""
        self.unfelt = parts["unsupported_forces"]


_AS_IN_ITS_FILE = BodyChanges()
OF_BODIES = {"bodies", "grips"}
"""Those of the parameters that may change that are saved with a run."""


class Changeable(Strict):
    """The parameters that may change, as `Settings` has them."""

    bodies: dict[str, BodyChanges] | None = None
    grips: dict[str, AboveZero] | None = None
    source: Any = None


def with_changes(settings: Settings, parameters: Mapping[str, Any]) -> Settings:
    """Return the settings with other values of some parameters.

    Raises:
        BadInput: if one of them cannot change in a run, or has a value that cannot be used.
    """
    others = sorted(set(parameters) - set(Changeable.model_fields))
    if others:
        raise BadInput(
            "this parameter cannot change in a run",
            where=others[0],
            found=parameters[others[0]],
            expected=" or ".join(Changeable.model_fields),
        )
    changes = check(Changeable, dict(parameters))
    return settings.model_copy(update={name: getattr(changes, name) for name in parameters})


def change_bodies(
    engine: Engine, before: Mapping[str, BodyChanges], after: Mapping[str, BodyChanges]
) -> None:
    """Make the engine's bodies differ from their files as they should from now on.

    Args:
        engine: with bodies that differ from their files by `before`.
        before: present differences.
        after: wanted differences; the rest is to be as in its file.

    Raises:
        Unsupported: if the engine cannot do this.
    """
    for name in dict.fromkeys((*before, *after)):
        old, new = before.get(name, _AS_IN_ITS_FILE), after.get(name, _AS_IN_ITS_FILE)
        if old == new:
            continue
        for key in ("friction", "bounce"):
            if getattr(old, key) is not None and getattr(new, key) is None:
                raise Unsupported(f"the {key} of {name} in its file is not known any more")
        engine.change_body(
            name,
            mass=new.mass / old.mass,
            friction=1.0 if new.friction is not None else new.friction_factor / old.friction_factor,
            coefficient=new.friction,
            bounce=new.bounce,
        )


class FidelitySwitcher:
    """Reads the attribute ``fidelity`` of objects and links and sets it in the engine.

    An object is switched only when its level changes. `reset` sets all to high again.

    Args:
        scene: the scene at the start.
        objects: names of the objects and links whose fidelity the engine can change.

    Attributes:
        any: whether any has the attribute.
    """

    def __init__(self, scene: Snapshot, objects: Collection[str]) -> None:
        layout = scene.layout
        lowerable = set(objects)
        slots = (s for s in layout.slots if s.attribute.name == FIDELITY.name)
        controlled = [slot for slot in slots if slot.entity in lowerable]
        self._names = np.array([slot.entity for slot in controlled], np.str_)
        self._at = np.array([slot.offset for slot in controlled], np.intp)
        self._now = np.full(len(controlled), float(Fidelity.HIGH))
        self.any = bool(controlled)

    def update(self, engine: Engine, scene: Snapshot) -> None:
        """Switch the objects whose level has changed."""
        wanted = scene.values[self._at]
        changed = np.flatnonzero(wanted != self._now)
        if len(changed):
            levels = np.array([Fidelity.of(number) for number in wanted[changed].tolist()])
            for level in Fidelity:
                self._switch(engine, changed[levels == level], level)
            self._now[changed] = wanted[changed]

    def reset(self, engine: Engine) -> None:
        """Set all objects to high fidelity again."""
        lowered = np.flatnonzero(self._now != float(Fidelity.HIGH))
        self._switch(engine, lowered, Fidelity.HIGH)
        self._now[:] = float(Fidelity.HIGH)

    def _switch(self, engine: Engine, chosen: np.ndarray, level: Fidelity) -> None:
        if len(chosen):
            engine.set_fidelity(self._names[chosen].tolist(), level)


_GRASPABLE = "graspable"
_FEW = 8
"""An engine prepares for changes of any object only if there are so few of them."""


def objects_handed_over(settings: Settings, world: World) -> tuple[tuple[str, str], ...]:
    """Return (object, attribute) of the rigid objects meant by `handed_over`, once each.

    A pattern that means many objects means those with the tag `graspable` only, if there are any.
    """
    free = [b.name for b in world.bodies if not (b.static or b.robot or b.moving_joints)]
    found = (
        (name, attribute)
        for pattern, attribute in settings.handed_over
        for name in _meant(pattern, free, settings)
    )
    return tuple(dict.fromkeys(found))


def _meant(pattern: str, free: list[str], settings: Settings) -> Iterator[str]:
    names = [name for name in free if fnmatchcase(name, pattern)]
    graspable = [name for name in names if _GRASPABLE in settings.tags.get(name, ())]
    if len(names) > 1 and graspable:
        names = graspable
    if len(names) <= _FEW:
        yield from names
