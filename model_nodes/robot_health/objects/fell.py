"""Objects that fell."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.conductor.reporting.concerns import Severity
from hetwin_core.ensemble.events import Event, Json
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.settings import Scale

FALL_SPEED = 0.4
"""What was never so fast on its way down was let down [m/s]."""
LANDED_SPEED = 0.05
"""It has landed when it moves up or down by less than this [m/s] ..."""
LANDED_NS = 250_000_000
"""... for so long [ns]."""
_LEFT = 0.01


class Fell:
    """Raises ``fell`` {object, height} [m] when an object is lower than at its last rest or hold.

    It is raised when the object has landed or left the world. What a hand has lost fell however low it was, and slow.

    Args:
        scale: of the height.
        states: the objects.
        purpose: what was meant.
    """

    def __init__(self, scale: Scale, states: ObjectStates, purpose: Purpose) -> None:
        self._scale, self._states, self._purpose = scale, states, purpose
        count = len(states.ids)
        self._height = states.poses[:, 2].copy()
        self._from_ns = np.full(count, states.time_ns, np.int64)
        self._fastest = np.zeros(count)
        self._sinking_ns = np.full(count, states.time_ns, np.int64)

    def settle(self) -> None:
        """Start from rest and holds."""
        states = self._states
        self._height = states.poses[:, 2].copy()
        self._fastest.fill(0.0)
        self._from_ns.fill(states.time_ns)
        self._sinking_ns.fill(states.time_ns)

    def update(self, gone: list[int]) -> list[Event]:
        """Judge the newest state.

        Args:
            gone: numbers of the objects that have left the world now.
        """
        states = self._states
        now, heights, sinking = states.time_ns, states.poses[:, 2], -states.velocities[:, 2]
        self._sinking_ns[np.abs(sinking) > LANDED_SPEED] = now
        self._fastest = np.maximum(self._fastest, np.where(states.held, 0.0, sinking))
        depths, lost = self._height - heights, self._purpose.lost
        fallen = (depths >= self._scale.least) & (self._fastest > FALL_SPEED)
        if self._scale.warning is not None:
            fallen |= lost & (depths >= _LEFT)
        fallen &= ~states.held
        landed = fallen & (now - self._sinking_ns >= LANDED_NS)
        landed[gone] = fallen[gone]
        events = [e for i in np.flatnonzero(landed) for e in self._events(int(i))]
        settled = states.held | states.resting | landed
        self._height[settled] = heights[settled]
        self._fastest[settled] = 0.0
        self._from_ns[settled | (heights > self._height - _LEFT)] = now
        return events

    def _events(self, number: int) -> list[Event]:
        states = self._states
        height = float(self._height[number] - states.poses[number, 2])
        severity = self._purpose.judge(number, self._scale, height)
        if self._purpose.lost[number] and severity in (None, Severity.NOTE):
            severity = Severity.WARNING
        if severity is None:
            return []
        begun = int(self._from_ns[number])
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "height": height,
            "severity": severity.value,
            "from": begun / 1e9,
            "to": int(self._sinking_ns[number]) / 1e9,
        }
        return [Event("fell", begun, arguments=arguments)]
