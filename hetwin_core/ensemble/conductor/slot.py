"""Finds what others name of the scene."""

from __future__ import annotations

from hetwin_core.ensemble.errors import Refused
from hetwin_core.ensemble.scene.layout import Layout


def slot_of(layout: Layout, entity: str, attribute: str, size: int | None = None) -> int:
    """Index of an attribute of the scene.

    Args:
        layout: of the scene.
        entity: whose attribute.
        attribute: its name.
        size: how many numbers it must have; None: any.

    Raises:
        Refused: if the scene has none of this size.
    """
    slot = layout.find(entity, attribute)
    if slot is None or size not in (None, layout.slots[slot].attribute.size):
        of_size = "" if size is None else f" of {size} numbers"
        raise Refused(f"the scene has no {entity}.{attribute}{of_size}")
    return slot
