"""The links of a hand, which hold objects but do not support them."""

from __future__ import annotations

from hetwin_core.ensemble.scene.layout import EntityKind, Layout


def hand_links(layout: Layout, hand: str) -> frozenset[int]:
    """Return the indices of the links of a hand.

    These are the link to which the hand is fixed, the parent links of its fingers, and all
    their descendants.
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
