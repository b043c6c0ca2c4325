"""A scene of a hand, two boxes and a table for the tests of the rigid grasp."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, EntityKind, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats, pose_value

ENTITIES = (
    Entity("hand", EntityKind.HAND, owner="robot", parent="palm"),
    Entity("box", EntityKind.OBJECT),
    Entity("ball", EntityKind.OBJECT),
    Entity("table", EntityKind.STATIC),
)
LAYOUT = Layout.build(ENTITIES, [(entity.name, POSE) for entity in ENTITIES])
HAND = {"name": "hand", "robot": "robot", "link": "palm"}
RESTING = pose_value((0.0, 0.0, 0.0)).data


def scene(time_ns: int, **poses: Floats) -> Snapshot:
    """A snapshot with these poses; what is not named rests at the origin."""
    values = np.concatenate([poses.get(entity.name, RESTING) for entity in ENTITIES])
    nobody = np.full(len(ENTITIES), -1, np.int32)
    return Snapshot(
        LAYOUT, ("physics",), time_ns, values, np.zeros(len(ENTITIES), np.int32), nobody
    )
