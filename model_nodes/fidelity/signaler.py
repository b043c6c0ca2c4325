"""The common base of fidelity signalers (Tallavajhula et al., 2019, section 3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic

import numpy as np

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.model import (
    Changes,
    Contribution,
    Model,
    Settings,
    Tick,
)
from hetwin_core.ensemble.scene.fidelity import FIDELITY, Fidelity
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import Floats, Value


class Signaler(Model[Settings], Generic[Settings]):
    """Is responsible for the attribute ``fidelity`` of its targets; returns a level only when it has changed."""

    provides = (FIDELITY,)

    def _register(
        self,
        scene: Contribution,
        names: Iterable[str],
        level: Fidelity,
    ) -> None:
        """Contribute the attribute of these targets at a level."""
        self._targets = list(names)
        self._owned = np.ones(len(self._targets), np.bool_)
        self._published: Floats = np.full(len(self._targets), float(level))
        for name in self._targets:
            scene.set(name, FIDELITY, level)

    def _changed(self, levels: Floats, tick: Tick) -> Changes:
        """Return those of the (n,) levels that differ from the last published ones."""
        changes = tick.changes()
        changed = np.flatnonzero((levels != self._published) & self._owned)
        for i in changed.tolist():
            changes.set(self._targets[i], FIDELITY, levels[i])
        self._published[changed] = levels[changed]
        return changes

    def take(self, entity: str, attribute: str, value: Value, scene: Snapshot) -> None:
        """Take responsibility for a target; its level is returned at the next step."""
        if attribute != FIDELITY.name or entity not in self._targets:
            raise Refused(f"this signaler does not compute {entity}.{attribute}")
        at = self._targets.index(entity)
        self._owned[at], self._published[at] = True, np.nan

    def release(self, entity: str, attribute: str, scene: Snapshot) -> Value:
        """Release a target; its level stays."""
        known = attribute == FIDELITY.name and entity in self._targets
        if not known or not self._owned[self._targets.index(entity)]:
            raise Refused(f"this signaler is not responsible for {entity}.{attribute}")
        self._owned[self._targets.index(entity)] = False
        return scene.value(entity, attribute)
