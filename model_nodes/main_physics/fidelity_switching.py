"""Switches the fidelity of objects as the scene says (paper 1, section 3: the fidelity helper)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.snapshot import Snapshot
from model_nodes.main_physics.engines.engine import Engine


class FidelityHelper:
    """Looks at the attribute ``fidelity`` of objects and links, whichever models are responsible for it.

    An object is switched only when its level changes. In the end all are high again, as they were at the start.

    Args:
        scene: at the start.
        objects: names of the objects and links that the engine can lower.
    """

    def __init__(self, scene: Snapshot, objects: Collection[str]) -> None:
        layout = scene.layout
        lowerable = set(objects)
        slots = (s for s in layout.slots if s.attribute.name == FIDELITY.name)
        told = [slot for slot in slots if slot.entity in lowerable]
        self._names = np.array([slot.entity for slot in told], np.str_)
        self._at = np.array([slot.offset for slot in told], np.intp)
        self._now = np.full(len(told), float(Fidelity.HIGH))

    def look(self, engine: Engine, scene: Snapshot) -> None:
        """Switch what is to be switched."""
        if not len(self._at):
            return
        wanted = scene.values[self._at]
        changed = np.flatnonzero(wanted != self._now)
        if len(changed):
            levels = np.array([Fidelity.of(number) for number in wanted[changed].tolist()])
            for level in Fidelity:
                self._switch(engine, changed[levels == level], level)
            self._now[changed] = wanted[changed]

    def reset(self, engine: Engine) -> None:
        """Leave everything as it was at the start."""
        lowered = np.flatnonzero(self._now != float(Fidelity.HIGH))
        self._switch(engine, lowered, Fidelity.HIGH)
        self._now[:] = float(Fidelity.HIGH)

    def _switch(self, engine: Engine, chosen: np.ndarray, level: Fidelity) -> None:
        if len(chosen):
            engine.set_fidelity(self._names[chosen].tolist(), level)
