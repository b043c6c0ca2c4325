"""Which links are a hand's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout


def is_of_hand(layout: Layout) -> NDArray[np.bool_]:
    """(entities,) whether each entity is a link of any hand, as the handling observer has it."""
    found = np.zeros(len(layout.entities), np.bool_)
    for hand in layout.of_kind(EntityKind.HAND):
        found[list(hand_links(layout, hand.name))] = True
    return found
