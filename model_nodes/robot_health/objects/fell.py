"""Objects that fell."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.events import Event
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates

FALLS = 0.05
"""An object that is lower than at its last rest or hold by more than this has fallen [m]."""
FALL_SPEED = 0.4
"""It must have been so fast on its way down, or it was let down [m/s]."""
LANDED_SPEED = 0.05
"""It has landed when it moves up or down by less than this [m/s] ..."""
LANDED_NS = 250_000_000
"""... for so long [ns]."""
_LEFT = 0.01


class Fell:
    """Raises ``fell`` {object, height} when an object has landed or left the world.

    Args:
        states: the objects.
        purpose: what was meant.
    """

    def __init__(self, states: ObjectStates, purpose: Purpose) -> None:
        self._states, self._purpose = states, purpose
        count = len(states.ids)
        self._height = states.poses[:, 2].copy()
        self._from_ns = np.full(count, states.time_ns, np.int64)
        self._fastest = np.zeros(count)
        self._sinking_ns = np.full(count, states.time_ns, np.int64)

    def update(self, gone: list[int]) -> list[Event]:
        """Judge the newest state.

        Args:
            gone: numbers of the objects that have left the world now.
        """
        states = self._states
        now, heights, sinking = states.time_ns, states.poses[:, 2], -states.velocities[:, 2]
        self._sinking_ns[np.abs(sinking) > LANDED_SPEED] = now
        self._fastest = np.maximum(self._fastest, np.where(states.held, 0.0, sinking))
        fallen = (self._height - heights > FALLS) & (self._fastest > FALL_SPEED) & ~states.held
        landed = fallen & (now - self._sinking_ns >= LANDED_NS)
        landed[gone] = fallen[gone]
        events = [self._event(int(i)) for i in np.flatnonzero(landed)]
        settled = states.held | states.resting | landed
        self._height[settled] = heights[settled]
        self._fastest[settled] = 0.0
        self._from_ns[settled | (heights > self._height - _LEFT)] = now
        return events

    def _event(self, number: int) -> Event:
        states = self._states
        begun, ended = int(self._from_ns[number]), int(self._sinking_ns[number])
        return Event(
            "fell",
            begun,
            arguments={
                "object": states.entities[number].name,
                "height": float(self._height[number] - states.poses[number, 2]),
                "severity": "note" if self._purpose.meant(number) else "warning",
                "from": begun / 1e9,
                "to": ended / 1e9,
            },
        )
