"""What other programs see of an object that has several proxies."""

from __future__ import annotations

from typing import Any

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from model_nodes.main_physics.engines.gz.proxies.proxy import Proxy, turn

_JUMP = 0.01
"""A picture that is farther from its object than this is placed instead of moved [m or rad]."""
_REST = 1e-6
"""A picture that is nearer than this to an object at rest does not move [m or rad]."""


class Picture:
    """A model that has the object's name and visuals, without collisions, and moves with the object.

    The object's proxies have neither, so that other programs see it once, wherever it is and whichever proxy is active.

    Args:
        proxy: handle of the model in Gazebo.
        pose: (13,) of the model when it is loaded.
    """

    def __init__(self, proxy: Proxy, pose: Floats) -> None:
        self._proxy = proxy
        self._loaded: Floats | None = pose
        self._is_placed = self._rests = False

    def follow(self, ecm: Any, pose: Floats, period: float, step: float) -> None:
        """Move so that it is where the object is after a period; called once in each.

        Args:
            ecm: of the simulation.
            pose: (13,) pose and twist of the object now.
            period: duration until the next call [s].
            step: duration of one of Gazebo's steps [s].
        """
        known = self._proxy.read(ecm) if self._loaded is None else self._loaded
        self._loaded = None
        # Gazebo executes a pose command twice, the second time in the next of its steps.
        if self._is_placed and step >= period:
            self._proxy.put(ecm, known)
        self._is_placed = False
        away, turned = pose[:3] - known[:3], turn(known[3:7], pose[3:7])
        error = max(float(np.abs(away).max()), float(np.abs(turned).max()))
        if error > _JUMP:
            self._place(ecm, pose, period - step)
        elif error < _REST and not pose[7:].any():
            self._rest(ecm, pose)
        else:
            self._rests = False
            self._proxy.move(ecm, pose[7:10] + away / period, pose[10:13] + turned / period)

    def _place(self, ecm: Any, pose: Floats, ahead: float) -> None:
        at = pose.copy()
        at[:3] += ahead * pose[7:10]
        self._proxy.place(ecm, at)
        self._is_placed, self._rests = True, False

    def _rest(self, ecm: Any, pose: Floats) -> None:
        if not self._rests:
            self._proxy.move(ecm, pose[7:10], pose[10:13])
            self._rests = True
