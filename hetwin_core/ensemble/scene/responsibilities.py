"""The table of responsibilities: every attribute of every entity has exactly one owner, at any time."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.values import Ints


class ResponsibilityTable:
    """Which model computes which attribute.

    One number per slot, so that nothing can be owned twice or by nobody.

    Args:
        layout: the scene's layout.
        models: names of the models, by index.
        owners: (slots,) index of each slot's owner at the start.

    Raises:
        ValueError: if a slot has no owner among the models.
    """

    def __init__(self, layout: Layout, models: tuple[str, ...], owners: Ints) -> None:
        if owners.shape != (len(layout.slots),):
            raise ValueError(f"{owners.shape[0]} owners for {len(layout.slots)} attributes")
        if len(owners) and (owners.min() < 0 or owners.max() >= len(models)):
            raise ValueError("an attribute has no owner among the models")
        self.layout = layout
        self.models = models
        self._owners = owners.astype(np.int32).copy()
        self.owners = self._owners.view()
        self.owners.flags.writeable = False

    def owner(self, slot: int) -> int:
        """Index of the slot's owner."""
        return int(self._owners[slot])

    def move(self, slot: int, to: int) -> None:
        """Give a slot to another model."""
        if not 0 <= to < len(self.models):
            raise ValueError(f"there is no model {to}")
        self._owners[slot] = to
