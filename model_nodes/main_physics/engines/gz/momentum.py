"""What the objects' momentum tells about a step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from hetwin_core.ensemble.scene.values import POSE_SIZE, Floats
from model_nodes.main_physics.engines.gz.objects import Objects
from model_nodes.main_physics.engines.gz.shadow import Shadow


class Momentum:
    """The objects' momentum before and after the last step, and the frames before it.

    Args:
        shadow: of the world.
        objects: the free bodies.
        period: duration of a step [s].

    Attributes:
        period: as given.
    """

    def __init__(self, shadow: Shadow, objects: Objects, period: float) -> None:
        self._shadow, self._objects, self.period = shadow, objects, period
        self._weights = shadow.masses[:, None] * np.array(shadow.world.gravity)
        self._pushed: Mapping[str, Floats] = {}
        self._frames: Floats = np.zeros((0, POSE_SIZE))
        self._before = self._after = shadow.momenta()

    def note_pushes(self, pushed: Mapping[str, Floats]) -> None:
        """Note the state before a step, in which these forces act on objects (the first 3 numbers of each)."""
        self._before, self._pushed = self._shadow.momenta(), pushed
        self._frames = self._shadow.moving_frames()

    def stepped(self) -> None:
        """Note the state after a step; the shadow must be up to date."""
        self._after = self._shadow.momenta()

    def contact_forces(self) -> Floats:
        """Return (n, 3) the mean force of contacts on each object in the last step [N]; on a load: 0."""
        totals: Floats = (self._after - self._before) / self.period - self._weights
        numbers = self._objects.numbers
        for name, wrench in self._pushed.items():
            totals[numbers[name]] -= wrench[:3]
        for name, bearer in self._objects.bearers().items():
            if bearer in numbers:
                totals[numbers[bearer]] += totals[numbers[name]]
            totals[numbers[name]] = 0.0
        return totals

    def velocity_before(self, frame: int, point: Floats) -> Floats:
        """Return (3,) the velocity before the last step of a frame's material at a point [m/s]."""
        if frame >= len(self._frames):
            return np.zeros(3)
        twist = self._frames[frame]
        found: Floats = twist[7:10] + np.cross(twist[10:13], point - twist[:3])
        return found
