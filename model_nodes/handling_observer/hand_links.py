"""Which links belong to a hand; they hold objects, they do not support them."""

from __future__ import annotations

from hetwin_core.ensemble.scene.layout import EntityKind, Layout


def hand_links(layout: Layout, hand: str) -> frozenset[int]:
    """Indices of the links of a hand.

    These are the link that the hand is fixed to, the links that its fingers start from, and all
    that hang on them.
    """
    links = layout.of_kind(EntityKind.LINK)
    described = layout.entity(hand)
    found = {described.parent}
    found |= {link.parent for link in links if link.joint and link.joint in described.joints}
    found.discard("")
    size = 0
    while size != len(found):
        size = len(found)
        found |= {link.name for link in links if link.parent in found}
    return frozenset(layout.entity_id(name) for name in found)
