"""Snapshots for tests of models: entities with poses, attributes and nearness, as the conductor would show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from hetwin_core.ensemble.scene.layout import Entity, Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import POSE, AttributeSpec, Floats


def scene_of(
    entities: Iterable[Entity],
    poses: Mapping[str, Floats],
    *,
    time_ns: int = 0,
    attributes: Iterable[tuple[str, AttributeSpec]] = (),
    near: Floats | None = None,
) -> Snapshot:
    """A snapshot of entities with poses; further attributes are 0."""
    layout = Layout.build(entities, [*((name, POSE) for name in poses), *attributes])
    values = np.zeros(layout.size)
    for name, pose in poses.items():
        values[layout.range_of(name, "pose")] = pose
    slots = len(layout.slots)
    return Snapshot(
        layout,
        ("physics",),
        time_ns,
        values,
        np.zeros(slots, np.int32),
        np.full(slots, -1, np.int32),
        {} if near is None else proximity_tables(near),
    )


def near_row(
    scene: Snapshot, a: str, b: str, distance: float, force: tuple[float, float, float] = (0, 0, 0)
) -> Floats:
    """One row of nearness between two entities."""
    ids = scene.layout.entity_id(a), scene.layout.entity_id(b)
    return np.array([*ids, distance, 0, 0, 0, 0, 0, 1, *force], np.float64)
