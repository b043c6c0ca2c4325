"""Objects that are faster than anything that touched them explains."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.objects.touches import Touches

GRAVITY = 9.81
MARGIN = 1.0
"""So much faster than explained an object may be [m/s]."""
FACTOR = 1.3
"""And so many times as fast."""
IMPACT = 1.5
"""An object leaves what strikes it at most at so many times that one's speed: 1 when it does not bounce, 2 when it
bounces without loss."""


class Flung:
    """Raises ``flung`` {object, speed, explained}.

    Keeps for each object the kinetic energy per kg that it may have, and the height at which: what touches it can give
    it some, falling adds to it, and contact with what is still only takes it away.

    Args:
        states: the objects.
        touches: what they are near to.
    """

    def __init__(self, states: ObjectStates, touches: Touches) -> None:
        self._states, self._touches = states, touches
        count = len(states.ids)
        self._energy = np.zeros(count)
        self._height = states.centres[:, 2].copy()
        self._flung = np.zeros(count, np.bool_)

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        given = self._given()
        self._meet(given)
        fallen = np.maximum(self._height - states.centres[:, 2], 0.0)
        explained = np.sqrt(2.0 * (self._energy + GRAVITY * fallen))
        too_fast = ~states.held & (states.speeds > FACTOR * explained + MARGIN)
        new = np.flatnonzero(too_fast & ~self._flung)
        self._flung |= too_fast
        self._flung &= ~states.resting
        return [self._event(int(i), float(explained[i])) for i in new]

    def _given(self) -> Floats:
        """(k,) kinetic energy per kg that what touches each object can give it; NaN where nothing touches it."""
        states, touches = self._states, self._touches
        speeds = np.full(len(states.ids), -1.0)
        np.maximum.at(speeds, touches.objects, touches.speeds())
        speeds[~touches.seen] = touches.fastest_link()
        held = np.flatnonzero(states.held)
        speeds[held] = np.maximum(states.speeds[held], 0.0)
        speeds[states.resting & (speeds < 0.0)] = 0.0
        given: Floats = np.where(speeds < 0.0, np.nan, 0.5 * (IMPACT * speeds) ** 2)
        return given

    def _meet(self, given: Floats) -> None:
        heights = self._states.centres[:, 2]
        touched = ~np.isnan(given)
        kept = np.minimum(
            self._energy + GRAVITY * np.maximum(self._height - heights, 0.0),
            0.5 * self._states.speeds**2,
        )
        self._energy = np.where(touched, np.fmax(given, kept), self._energy)
        self._height = np.where(touched, heights, np.maximum(self._height, heights))

    def _event(self, number: int, explained: float) -> Event:
        states = self._states
        return Event(
            "flung",
            states.time_ns,
            arguments={
                "object": states.entities[number].name,
                "speed": float(states.speeds[number]),
                "explained": explained,
                "severity": "absurd",
            },
        )
