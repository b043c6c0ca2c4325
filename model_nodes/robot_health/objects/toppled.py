"""Objects that toppled."""

from __future__ import annotations

import math

import numpy as np

from hetwin_core.ensemble.events import Event, Json
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.robot_health.objects.purpose import Purpose
from model_nodes.robot_health.objects.roundness import is_ball, round_axis
from model_nodes.robot_health.objects.states import ObjectStates
from model_nodes.robot_health.settings import Scale


class Toppled:
    """Raises ``toppled`` {object, angle} [rad] when an object is tilted against its start, last rest or last hold.

    Balls do not topple, and what is round about an axis does only by tilting that axis, not by rolling.

    Args:
        scale: of the tilt [deg].
        states: the objects.
        purpose: what was meant.
    """

    def __init__(self, scale: Scale, states: ObjectStates, purpose: Purpose) -> None:
        self._scale, self._states, self._purpose = scale, states, purpose
        axes = [round_axis(entity.shapes) for entity in states.entities]
        self._round = np.array([axis is not None for axis in axes], np.bool_)
        self._axes = np.array([np.zeros(3) if a is None else a for a in axes]).reshape(-1, 3)
        self._can = np.array([not is_ball(entity.shapes) for entity in states.entities], np.bool_)
        self._upright = states.up.copy()
        self._toppled = np.zeros(len(states.ids), np.bool_)

    def settle(self) -> None:
        """Start from rest and holds."""
        self._upright = self._states.up.copy()
        self._toppled.fill(False)

    def update(self) -> list[Event]:
        """Judge the newest state."""
        states = self._states
        angles = self._angles()
        tilted = self._can & ~states.held & (angles >= math.radians(self._scale.least))
        new = np.flatnonzero(tilted & ~self._toppled)
        self._toppled |= tilted
        settled = states.held | states.resting
        self._upright[settled] = states.up[settled]
        self._toppled[settled] = False
        return [e for i in new for e in self._events(int(i), float(angles[i]))]

    def _angles(self) -> Floats:
        """(k,) tilt against the reference [rad]."""
        now, before = self._states.up, self._upright
        free = _between(now, before)
        if not self._round.any():
            return free
        rolled = np.abs(_between(now, self._axes) - _between(before, self._axes))
        return np.where(self._round, rolled, free)

    def _events(self, number: int, angle: float) -> list[Event]:
        states = self._states
        severity = self._purpose.judge(number, self._scale, math.degrees(angle))
        if severity is None:
            return []
        arguments: dict[str, Json] = {
            "object": states.entities[number].name,
            "angle": angle,
            "severity": severity.value,
            "from": int(states.rested_ns[number]) / 1e9,
            "to": states.time_ns / 1e9,
        }
        return [Event("toppled", states.time_ns, arguments=arguments)]


def _between(a: Floats, b: Floats) -> Floats:
    """(n,) angles between the unit vectors of rows [rad]."""
    angles: Floats = np.arccos(np.clip(np.einsum("ij,ij->i", a, b), -1.0, 1.0))
    return angles
