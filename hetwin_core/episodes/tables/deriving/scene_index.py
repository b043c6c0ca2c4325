"""Where the numbers of the entities lie in the states of a log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hetwin_core.ensemble.scene.hands import hand_links
from hetwin_core.ensemble.scene.layout import EntityKind, Layout
from hetwin_core.ensemble.scene.values import POSE, POSE_SIZE, Floats
from hetwin_core.episodes.tables.robot_bases import root_links

Mask = NDArray[np.bool_]


class SceneIndex:
    """What the derivations look up in a layout.

    Attributes:
        layout: of the scene.
        names: of the entities.
        is_object: (entities,) bodies that move freely.
        is_link: (entities,) links.
        in_hand: (entities,) links of hands, which hold but do not support.
        roots: robot -> its root link.
        starts: (entities,) where each one's pose begins in the values; -1 where it has none.
        hands_of: link's index -> names of the hands that it belongs to.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.names = [entity.name for entity in layout.entities]
        kinds = [entity.kind for entity in layout.entities]
        self.is_object: Mask = np.array([k is EntityKind.OBJECT for k in kinds], np.bool_)
        self.is_link: Mask = np.array([k is EntityKind.LINK for k in kinds], np.bool_)
        self.in_hand: Mask = np.zeros(len(kinds), np.bool_)
        self.hands_of: dict[int, list[str]] = {}
        for hand in layout.of_kind(EntityKind.HAND):
            for link in hand_links(layout, hand.name):
                if link >= 0:
                    self.in_hand[link] = True
                    self.hands_of.setdefault(link, []).append(hand.name)
        self.roots = root_links(layout)
        starts = [
            layout.range_of(name, POSE.name).start if layout.has(name, POSE.name) else -1
            for name in self.names
        ]
        self.starts = np.array(starts, np.int64)

    def poses(self, values: Floats, states: NDArray[np.int64], ids: NDArray[np.int64]) -> Floats:
        """(m, 13) poses and twists of entities in states; of one without a pose at the world's origin, at rest."""
        starts = self.starts[ids]
        found: Floats = values[
            states[:, None], np.maximum(starts, 0)[:, None] + np.arange(POSE_SIZE)
        ]
        found[starts < 0] = _AT_ORIGIN
        return found


_AT_ORIGIN = np.array([0.0, 0.0, 0.0, 1.0, *([0.0] * 9)])
