"""Contacts: pairs with a force, once each."""

from __future__ import annotations

import numpy as np
from support.small_run import MODELS, layout

from hetwin_core.ensemble.scene.snapshot import Snapshot, proximity_tables
from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.view.layers import contacts


def row(one: int, other: int, force: tuple[float, float, float]) -> list[float]:
    return [float(one), float(other), -0.001, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0, *force]


def snapshot(rows: Floats) -> Snapshot:
    scene = layout()
    slots = len(scene.slots)
    owners, parents = np.zeros(slots, np.int32), np.full(slots, -1, np.int32)
    return Snapshot(scene, MODELS, 0, np.zeros(scene.size), owners, parents, proximity_tables(rows))


def test_pairs_of_objects_are_shown_once() -> None:
    rows = np.array([row(4, 5, (0, 0, 2)), row(5, 4, (0, 0, -2)), row(4, 6, (1, 0, 0))])
    found = contacts(snapshot(rows))
    assert found.tolist() == [
        [4.0, 5.0, 0.1, 0.2, 0.3, 0.0, 0.0, 2.0],
        [4.0, 6.0, 0.1, 0.2, 0.3, 1.0, 0.0, 0.0],
    ]


def test_what_is_near_without_a_force_does_not_touch() -> None:
    broken = row(4, 5, (np.nan, 0, 0))
    assert contacts(snapshot(np.array([row(4, 6, (0, 0, 1e-5)), broken]))).shape == (0, 8)
