"""What a detector makes of what is visible: noise, misses and confusions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hetwin_core.ensemble.scene.poses import multiply, rotation_by
from hetwin_core.ensemble.scene.values import Floats
from model_nodes.camera.events import Detection
from model_nodes.camera.settings import EVERY, Settings


class Detector:
    """Draws the same numbers for every object in every picture, so that one object's do not depend on another's.

    Args:
        settings: noise, misses and confusions.
        objects: names of the objects.
        seed: of the draws.
    """

    def __init__(self, settings: Settings, objects: Sequence[str], seed: int) -> None:
        miss = settings.miss
        by_name: Mapping[str, float] = miss if isinstance(miss, dict) else {EVERY: miss}
        self._miss = {name: by_name.get(name, by_name.get(EVERY, 0.0)) for name in objects}
        self._confusion, self._noise = settings.confusion, settings.noise
        self._turn_noise = settings.turn_noise
        self._random = np.random.default_rng(seed)

    def detect(self, name: str, pose: Floats, share: float, visible: bool) -> Detection | None:
        """Return what is detected of an object; None: nothing.

        Args:
            name: of the object.
            pose: (13,) in the frame of the picture.
            share: that is seen of it, 0 to 1.
            visible: whether that is enough.
        """
        shift = self._noise * self._random.standard_normal(3)
        turn = rotation_by((self._turn_noise * self._random.standard_normal(3)).tolist())
        missed, mistaken = self._random.random(2).tolist()
        if not visible or missed < self._miss[name]:
            return None
        place = (pose[:3] + shift).tolist()
        numbers = (*place, *multiply(turn, pose[3:7].tolist()))
        return Detection(self._taken_for(name, mistaken), numbers, 0.5 + 0.5 * share, name)

    def _taken_for(self, name: str, drawn: float) -> str:
        for other, probability in self._confusion.get(name, {}).items():
            if drawn < probability:
                return other
            drawn -= probability
        return name
