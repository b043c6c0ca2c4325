"""Applies the scene's fidelities to the engine (Tallavajhula et al., 2019, section 3: the fidelity switcher)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.main_physics.engines.engine import Engine


class FidelitySwitcher:
    """Reads the attribute ``fidelity`` of objects and links and sets it in the engine.

    An object is switched only when its level changes. `reset` sets all to high again.

    Args:
        scene: the scene at the start.
        objects: names of the objects and links whose fidelity the engine can change.

    Attributes:
        any: whether any has the attribute.
    """

    def __init__(self, scene: Snapshot, objects: Collection[str]) -> None:
        layout = scene.layout
        lowerable = set(objects)
        slots = (s for s in layout.slots if s.attribute.name == FIDELITY.name)
        controlled = [slot for slot in slots if slot.entity in lowerable]
        self._names = np.array([slot.entity for slot in controlled], np.str_)
        self._at = np.array([slot.offset for slot in controlled], np.intp)
        self._now = np.full(len(controlled), float(Fidelity.HIGH))
        self.any = bool(controlled)

    def update(self, engine: Engine, scene: Snapshot) -> None:
        """Switch the objects whose level has changed."""
        wanted = scene.values[self._at]
        changed = np.flatnonzero(wanted != self._now)
        if len(changed):
            levels = np.array([Fidelity.of(number) for number in wanted[changed].tolist()])
            for level in Fidelity:
                self._switch(engine, changed[levels == level], level)
            self._now[changed] = wanted[changed]

    def reset(self, engine: Engine) -> None:
        """Set all objects to high fidelity again."""
        lowered = np.flatnonzero(self._now != float(Fidelity.HIGH))
        self._switch(engine, lowered, Fidelity.HIGH)
        self._now[:] = float(Fidelity.HIGH)

    def _switch(self, engine: Engine, chosen: np.ndarray, level: Fidelity) -> None:
        if len(chosen):
            engine.set_fidelity(self._names[chosen].tolist(), level)
