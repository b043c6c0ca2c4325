"""Objects that are faster than anything that touched them explains."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.objects.touches import Touches
from model_nodes.robot_health.settings import Scale

GRAVITY = 9.81
FACTOR = 1.3
"""An object may be so many times as fast as explained."""
IMPACT = 1.5
"""An object leaves what strikes it at most at so many times that one's speed: 1 when it does not bounce, 2 when it
bounces without loss."""


class Flung:
    """Raises ``flung`` {object, speed, explained} [m/s], once more if it becomes worse.

    Keeps for each object the kinetic energy per kg that it may have, and the height at which: what touches it can give
    it some, falling adds to it, and contact with what is still only takes it away.

    Args:
        scale: of the speed beyond `FACTOR` times the explained one [m/s].
        states: the objects.
        touches: what they are near to.
        purpose: what was meant.
    """

    def __init__(
        self, scale: Scale, states: ObjectStates, touches: Touches, purpose: Purpose
    ) -> None:
        self._scale, self._states, self._touches = scale, states, touches
        self._purpose = purpose
        self._energy = np.zeros(len(states.ids))
        self._height = states.centres[:, 2].copy()
        self._flung: dict[
            int, tuple[int, int]
        ] = {}  # object: since when [ns], and rank of the severity

    def settle(self) -> None:
        """Start from rest and holds."""
        states = self._states
        speeds = np.where(states.held | states.was_held, states.speeds, 0.0)
        self._energy = 0.5 * (IMPACT * speeds) ** 2
        self._height = states.centres[:, 2].copy()
        self._flung.clear()

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        self._meet(self._given())
        fallen = np.maximum(self._height - states.centres[:, 2], 0.0)
        explained = np.sqrt(2.0 * (self._energy + GRAVITY * fallen))
        beyond = np.where(states.held, 0.0, states.speeds - FACTOR * explained)
        for number in [n for n in self._flung if states.resting[n] or states.held[n]]:
            del self._flung[number]
        events: list[Event] = []
        for number in np.flatnonzero(beyond >= self._scale.least).tolist():
            events += self._events(number, float(beyond[number]), float(explained[number]))
        return events

    def _given(self) -> Floats:
        """(k,) kinetic energy per kg that what touches each object can give it; NaN where nothing touches it."""
        states, touches = self._states, self._touches
        speeds = np.full(len(states.ids), -1.0)
        np.maximum.at(speeds, touches.objects, touches.speeds())
        if not touches.seen.all():
            speeds[~touches.seen] = touches.fastest_link()
        speeds[states.held] = np.maximum(states.speeds, speeds)[states.held]
        speeds[states.resting] = np.maximum(speeds, 0.0)[states.resting]
        given: Floats = np.where(speeds < 0.0, np.nan, 0.5 * (IMPACT * speeds) ** 2)
        return given

    def _meet(self, given: Floats) -> None:
        """Update what the objects may have, by what touches them."""
        states = self._states
        heights, touched = states.centres[:, 2], ~np.isnan(given)
        fallen = np.maximum(self._height - heights, 0.0)
        kept = np.minimum(self._energy + GRAVITY * fallen, 0.5 * states.speeds**2)
        self._energy = np.where(touched, np.fmax(given, kept), self._energy)
        self._height = np.where(touched, heights, np.maximum(self._height, heights))

    def _events(self, number: int, beyond: float, explained: float) -> list[Event]:
        severity = self._purpose.judge(number, self._scale, beyond)
        now = self._states.time_ns
        since_ns, rank = self._flung.get(number, (now, -1))
        if severity is None or severity.rank <= rank:
            return []
        self._flung[number] = (since_ns, severity.rank)
        arguments: dict[str, Json] = {
            "object": self._states.entities[number].name,
            "speed": float(self._states.speeds[number]),
            "explained": explained,
            "severity": severity.value,
            "from": since_ns / 1e9,
            "to": now / 1e9,
        }
        return [Event("flung", now, arguments=arguments)]
