"""Which fingers press an object: by their torques, or, where these are unknown, because something blocks them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.in_hand_localization.finger_stall import FingerStall
from model_nodes.in_hand_localization.finger_torques import FingerTorques
from model_nodes.in_hand_localization.settings import Settings


class Pressing:
    """Detects which fingers press.

    Args:
        layout: the scene's layout.
        joints: of each finger.
        limits: the model's parameters.

    Attributes:
        pushing: (fingers,) which fingers press.

    Raises:
        BadInput: if the robot has no such joint, or no efforts.
    """

    def __init__(self, layout: Layout, joints: Sequence[Sequence[str]], limits: Settings) -> None:
        hand = limits.hand
        self._torques = FingerTorques(
            layout, hand, joints, limits.contact_effort, limits.effort_window
        )
        self._stall = FingerStall(
            layout, hand, joints, limits.stall_speed, limits.stall_margin, limits.velocity_window
        )
        self._time_ns: int | None = None
        self.pushing: NDArray[np.bool_] = np.zeros(len(joints), np.bool_)

    def update(self, scene: Snapshot) -> None:
        """Update with the current efforts and positions."""
        before = scene.time_ns if self._time_ns is None else self._time_ns
        self._time_ns = scene.time_ns
        self._torques.update(scene, (scene.time_ns - before) * 1e-9)
        self._stall.update(scene)
        self.pushing = self._torques.pushing | (self._stall.blocked & ~self._torques.known)

    def stands_in(self, finger: int) -> bool:
        """Whether the finger's standing still stands for torques that are unknown."""
        return not self._torques.known[finger]

    def strength(self, fingers: Sequence[int]) -> float:
        """Return the mean effort of these fingers [N or Nm], NaN if it is unknown."""
        return self._torques.strength(fingers)
