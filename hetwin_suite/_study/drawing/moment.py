"""Uncertainty at a moment of a run, from that of the scenario."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hetwin_core.ensemble.scene.layout import EntityKind
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE
from hetwin_suite._study.drawing.uncertain import Grasped, Placed, Uncertainty

COVARIANCE = "pose_covariance"
"""Attribute of an object in a hand: the upper triangle of the covariance of its pose."""
MOVED_M = 0.005
MOVED_RAD = 0.05
"""An object further than this from where it was at the start has been moved."""


def of_now(uncertainty: Uncertainty, now: Snapshot) -> Uncertainty:
    """Return the present uncertainty.

    The scenario's uncertainty of a pose is about the start. It holds as long as the thing, and all that
    it carries, is still there and is the main model's: a taken object was where it was believed. An object in a hand is
    as uncertain as by the model that localizes it there.

    Args:
        uncertainty: of the scenario.
        now: the scene.
    """
    placed = [_now(one, now) for one in uncertainty.placed]
    return replace(
        uncertainty,
        placed=tuple(one for one in placed if one is not None),
        grasped=tuple(_estimated(now)),
    )


def _estimated(now: Snapshot) -> Iterator[Grasped]:
    """Yield the objects whose pose a model estimates with a covariance."""
    for slot in now.layout.slots:
        if slot.attribute.name != COVARIANCE:
            continue
        triangle = now.get(slot.entity, COVARIANCE)
        model = now.owner(slot.entity, COVARIANCE)
        if triangle.any() and now.owner(slot.entity, POSE.name) == model:
            covariance = np.zeros((6, 6))
            covariance[np.triu_indices(6)] = triangle
            covariance += np.triu(covariance, 1).T
            yield Grasped(slot.entity, model, covariance)


def _now(placed: Placed, now: Snapshot) -> Placed | None:
    poses = {entity: np.array(now.pose(entity)) for entity in placed.poses}
    main = now.owner(placed.entity, POSE.name)
    for entity, pose in poses.items():
        before = placed.poses[entity]
        free = now.layout.entity(entity).kind is EntityKind.OBJECT
        if free and now.owner(entity, POSE.name) != main:
            return None
        turned = 2.0 * np.arccos(min(1.0, abs(float(pose[3:7] @ before[3:7]))))
        if np.abs(pose[:3] - before[:3]).max() > MOVED_M or turned > MOVED_RAD:
            return None
    return placed._replace(poses={entity: pose[:7] for entity, pose in poses.items()})
