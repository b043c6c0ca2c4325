"""Lifts and tilts an object as a function of time: a pouring hand without a robot."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Tick,
)
from hetwin_core.ensemble.parameters import Amount, EntityName, Parameters, parameter
from hetwin_core.ensemble.scene.poses import multiply
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats, Value


class Settings(Parameters):
    """The parameters of the model."""

    object: EntityName = parameter("what is tilted")
    begin: Amount = parameter("it rests until then", 0.1, "s")
    lift: Amount = parameter("how far it is lifted", 0.3, "m")
    lifting: Amount = parameter("how long that takes", 0.8, "s")
    angle: Amount = parameter("how far it is then tilted about the world's x axis", 1.6, "rad")
    tilting: Amount = parameter("how long that takes, and the way back", 1.2, "s")
    holding: Amount = parameter(
        "how long it stays tilted before it is turned upright again", 60.0, "s"
    )


class ScriptedTilt(Model[Settings]):
    """Lifts and tilts an object with minimum jerk, as long as it is responsible for its pose."""

    summary = "lifts and tilts an object"
    provides = (POSE,)

    def initialize(self, settings: Settings, scene: Contribution) -> None:
        """Read the motion."""
        self._object = self.settings.object
        self._start: Floats | None = None
        scene.needs((self._object, POSE.name))

    def step(self, tick: Tick) -> Changes:
        """Return the object's pose."""
        changes = tick.changes()
        if self._start is not None:
            pose = self._pose(self._start, tick.time_ns / 1e9)
            changes.set(self._object, POSE, pose)
        return changes

    def _pose(self, start: Floats, time: float) -> Floats:
        n = self.settings
        up, rising = _least_jerk(time - n.begin, n.lifting)
        tilted, tilting = _least_jerk(time - n.begin - n.lifting, n.tilting)
        upright_again = n.begin + n.lifting + n.tilting + n.holding
        back, turning_back = _least_jerk(time - upright_again, n.tilting)
        half = 0.5 * n.angle * (tilted - back)
        turn = (math.cos(half), math.sin(half), 0.0, 0.0)
        pose = np.zeros(13)
        pose[:3] = start[:3]
        pose[2] += n.lift * up
        pose[3:7] = multiply(turn, start[3:7].tolist())
        pose[9] = n.lift * rising
        pose[10] = n.angle * (tilting - turning_back)
        return pose

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Start from the object's current pose.

        Raises:
            Refused: if it is another object.
        """
        if (entity, attribute) != (self._object, POSE.name):
            raise Refused(f"this moves {self._object} only, not {entity}.{attribute}")
        self._start = value.data.copy()

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release the object at its current pose.

        Raises:
            Refused: if the model is not responsible for it.
        """
        if (entity, attribute) != (self._object, POSE.name) or self._start is None:
            raise Refused(f"this does not move {entity}.{attribute}")
        self._start = None
        return scene.value(entity, "pose")


def _least_jerk(time: float, duration: float) -> tuple[float, float]:
    """Return the fraction of the path after a time, from 0 to 1, and its rate [1/s]."""
    s = min(max(time / duration, 0.0), 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2 / duration
