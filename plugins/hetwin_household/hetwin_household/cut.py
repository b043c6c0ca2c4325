"""The stages of cutting one object: whole, with the blade inside, and cut into parts."""

from __future__ import annotations

from enum import Enum

import numpy as np

from hetwin_suite.model import POSE, AttributeSpec, Changes, Floats, Meaning, Snapshot, Value
from hetwin_suite.shapes import SceneShapes

COLLISION = AttributeSpec("collision", 1, "", Meaning.TRUTH)
CONTACT_DISTANCE = 1e-3
"""Distance within which a blade touches [m]."""


class Stage(Enum):
    """Stage of a cut."""

    WHOLE = "whole"
    INSIDE = "inside"
    CUT = "cut"


class Cut:
    """The cutting of one object.

    Args:
        name: name of the whole object.
        parts: names of the parts that replace it.
        blade: name of the blade.
    """

    def __init__(self, name: str, parts: tuple[str, ...], blade: str) -> None:
        self.blade = blade
        self.stage = Stage.WHOLE
        self._name = name
        self._parts = parts
        self._pose: Floats = np.zeros(13)
        self._owned: set[tuple[str, str]] = set()
        self._poses: dict[str, Floats] = {}

    @property
    def is_done(self) -> bool:
        """Whether the parts have replaced the whole."""
        return self.stage is Stage.CUT

    def begin(self, scene: Snapshot, shapes: SceneShapes, speed: float, changes: Changes) -> None:
        """Request the pose and the collisions of the whole object if a moving blade touches it."""
        if shapes.distance([self.blade], [self._name], 2.0 * CONTACT_DISTANCE) > CONTACT_DISTANCE:
            return
        relative = scene.pose(self.blade)[7:10] - scene.pose(self._name)[7:10]
        if np.linalg.norm(relative) < speed:
            return
        for attribute in (POSE.name, COLLISION.name):
            changes.take(self._name, attribute)

    def advance(self, scene: Snapshot, shapes: SceneShapes, depth: float, changes: Changes) -> None:
        """Cut the object if the blade has reached its middle; hand it back if the blade has left."""
        middle = self._pose[:3]
        if shapes.distance_to(middle, [self.blade], 2.0 * depth) <= depth:
            self.stage = Stage.CUT
            for part in self._parts:
                self._poses[part] = self._pose
                changes.take(part, POSE)
        elif shapes.distance([self.blade], [self._name], 2.0 * CONTACT_DISTANCE) > CONTACT_DISTANCE:
            self._give_back(self._name, POSE.name, changes)
            self._give_back(self._name, COLLISION.name, changes)

    def write(self, changes: Changes) -> None:
        """Write the attributes that the model owns; parts in their final poses go to the main model."""
        for entity, attribute in sorted(self._owned):
            changes.set(entity, attribute, self._value(entity, attribute))
            if entity in self._parts:
                self._give_back(entity, attribute, changes)

    def _give_back(self, entity: str, attribute: str, changes: Changes) -> None:
        if (entity, attribute) in self._owned:
            changes.give_back(entity, attribute)

    def take(self, entity: str, attribute: str, scene: Snapshot) -> bool:
        """Take ownership of an attribute; return whether it belongs to this cut."""
        if entity == self._name and attribute in (POSE.name, COLLISION.name):
            if attribute == POSE.name:
                self._pose = _at_rest(scene.pose(entity))
                self._poses[entity] = self._pose
                self.stage = Stage.INSIDE
        elif entity in self._parts and attribute == POSE.name:
            if entity == self._parts[0]:
                self._poses[self._name] = _at_rest(scene.pose(entity))
        else:
            return False
        self._owned.add((entity, attribute))
        return True

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value | None:
        """Release an attribute, and return its value; None if it does not belong to this cut."""
        if (entity, attribute) not in self._owned:
            return None
        self._owned.discard((entity, attribute))
        if entity == self._name and attribute == POSE.name and not self.is_done:
            self.stage = Stage.WHOLE
        if attribute == COLLISION.name:
            return Value(np.ones(1), scene.time_ns)
        return Value(self._poses[entity], scene.time_ns)

    def _value(self, entity: str, attribute: str) -> Floats:
        return np.zeros(1) if attribute == COLLISION.name else self._poses[entity]


def _at_rest(pose: Floats) -> Floats:
    return np.concatenate([pose[:7], np.zeros(6)])
