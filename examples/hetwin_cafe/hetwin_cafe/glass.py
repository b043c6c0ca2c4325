"""A glass that breaks on impact."""

from __future__ import annotations

import numpy as np

from hetwin_suite.model import (
    AttributeSpec,
    Changes,
    Contribution,
    EntityName,
    Meaning,
    Model,
    Parameters,
    Tick,
    parameter,
)

INTACT = AttributeSpec("intact", meaning=Meaning.TRUTH)
_FORCE = slice(9, 12)
"""Columns with the force on the object in a row of proximity [N]."""


class GlassSettings(Parameters):
    """The glass and its strength."""

    glass: EntityName = parameter("object made of glass")
    strength: float = parameter("force at which it breaks", 60.0, "N")


class Glass(Model[GlassSettings]):
    """A glass that a contact force breaks for good; raises ``broke`` with the other body."""

    provides = (INTACT,)

    def initialize(self, settings: GlassSettings, scene: Contribution) -> None:
        """Start intact."""
        self._intact = True
        scene.set(settings.glass, INTACT, self._intact)
        scene.needs((settings.glass, "pose"), ("*", "proximity"))

    def step(self, tick: Tick) -> Changes:
        """Compare the contact forces with its strength."""
        glass, scene, changes = self.settings.glass, tick.scene, tick.changes()
        contacts = scene.proximity[scene.proximity[:, 0] == scene.layout.entity_id(glass)]
        forces = np.linalg.norm(contacts[:, _FORCE], axis=1)
        if self._intact and forces.max(initial=0.0) > self.settings.strength:
            self._intact = False
            hardest = int(np.argmax(forces))
            other = scene.layout.entities[int(contacts[hardest, 1])].name
            changes.event("broke", object=glass, other=other, force=float(forces[hardest]))
        return changes.set(glass, INTACT, self._intact)
