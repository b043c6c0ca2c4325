"""Predicates that observers evaluate on the scene, written as ``held(box, gripper)``, ``on(box, table)``."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.saving.fields import Restorable
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import Floats, Meaning


class Predicates(Restorable):
    """Follows the attributes that hold a truth value or name an entity.

    Args:
        layout: the scene's layout.
    """

    saved_fields = ("_last", "_partners")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._naming = [s for s in layout.slots if s.attribute.meaning is Meaning.ENTITY]
        self._offsets = np.array([s.offset for s in self._naming], np.intp)
        self._last = b""
        hands = [layout.entity_id(e.name) for e in layout.of_kind(EntityKind.HAND)]
        self._partners: list[set[int]] = [
            set(hands) if s.attribute.name == "held" else set() for s in self._naming
        ]

    def observe(self, values: Floats) -> None:
        """Record which entities the attributes name at these values of the scene."""
        if not len(self._offsets):
            return
        now = values[self._offsets]
        same = now.tobytes()  # compared at every step, for which numpy's functions take too long
        if same == self._last:
            return
        self._last = same
        for partners, partner in zip(self._partners, now.tolist(), strict=True):
            if partner >= 0:
                partners.add(int(partner))

    def state(self, values: Floats) -> dict[str, bool]:
        """Present value of every predicate that was ever true, of every hand's `held`, and of every truth value."""
        state: dict[str, bool] = {}
        for slot, partners in zip(self._naming, self._partners, strict=True):
            now = int(values[slot.offset])
            for partner in sorted(partners):
                name = self._layout.entities[partner].name
                state[f"{slot.attribute.name}({slot.entity}, {name})"] = partner == now
        for slot in self._layout.slots:
            if slot.attribute.meaning is Meaning.TRUTH:
                state[f"{slot.attribute.name}({slot.entity})"] = bool(values[slot.offset] > 0.5)
        return state
