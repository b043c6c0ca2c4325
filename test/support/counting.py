"""Evaluators that count how often they are called."""

from __future__ import annotations

from collections import Counter

from hetwin_core.ensemble.expressions.evaluators import scene_only
from hetwin_core.ensemble.scene.snapshot import Snapshot

CALLS: Counter[str] = Counter()


@scene_only
def counted_frame(scene: Snapshot, entity: str) -> str:
    """The frame in which an entity's pose is given."""
    CALLS["frame"] += 1
    return scene.parent(entity)


@scene_only
def counted_height(scene: Snapshot, entity: str) -> float:
    """An entity's z in the world."""
    CALLS["height"] += 1
    return float(scene.pose(entity)[2])


def counted_anything(scene: Snapshot) -> bool:
    """True; it does not say what it reads."""
    CALLS["anything"] += 1
    return scene.time_ns >= 0
