"""Objects that toppled."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.events import Event
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.roundness import is_ball, round_axis
from model_nodes.robot_health.objects.states import ObjectStates

TOPPLES = math.radians(45.0)
"""An object that is tilted by more than this against its start, last rest or last hold has toppled [rad]."""


class Toppled:
    """Raises ``toppled`` {object, angle}.

    Balls do not topple, and what is round about an axis does only by tilting that axis, not by rolling.

    Args:
        states: the objects.
        purpose: what was meant.
    """

    def __init__(self, states: ObjectStates, purpose: Purpose) -> None:
        self._states, self._purpose = states, purpose
        axes = [round_axis(entity.shapes) for entity in states.entities]
        self._round = np.array([axis is not None for axis in axes], np.bool_)
        self._axes = np.array([np.zeros(3) if a is None else a for a in axes]).reshape(-1, 3)
        self._can = np.array([not is_ball(entity.shapes) for entity in states.entities], np.bool_)
        self._upright = states.up.copy()
        self._toppled = np.zeros(len(states.ids), np.bool_)

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        angles = self._angles()
        tilted = self._can & ~states.held & (angles > TOPPLES)
        new = np.flatnonzero(tilted & ~self._toppled)
        self._toppled |= tilted
        settled = states.held | states.resting
        self._upright[settled] = states.up[settled]
        self._toppled[settled] = False
        return [self._event(int(i), float(angles[i])) for i in new]

    def _angles(self) -> Floats:
        """(k,) tilt against the reference [rad]."""
        now, before = self._states.up, self._upright
        free = _between(now, before)
        if not self._round.any():
            return free
        rolled = np.abs(_between(now, self._axes) - _between(before, self._axes))
        return np.where(self._round, rolled, free)

    def _event(self, number: int, angle: float) -> Event:
        states = self._states
        return Event(
            "toppled",
            states.time_ns,
            arguments={
                "object": states.entities[number].name,
                "angle": angle,
                "severity": "note" if self._purpose.meant(number) else "warning",
            },
        )


def _between(a: Floats, b: Floats) -> Floats:
    """(n,) angles between the unit vectors of rows [rad]."""
    angles: Floats = np.arccos(np.clip(np.einsum("ij,ij->i", a, b), -1.0, 1.0))
    return angles
