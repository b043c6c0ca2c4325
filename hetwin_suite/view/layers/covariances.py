"""How sure a model is of the place of an object: ellipsoids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from transforms3d.quaternions import mat2quat, quat2mat

from hetwin_core.ensemble.scene.layout import Layout
from hetwin_core.ensemble.scene.snapshot import Snapshot
from hetwin_core.ensemble.scene.values import POSE, Floats

COLUMNS = ("entity", "rx", "ry", "rz", "qx", "qy", "qz", "qw")
ATTRIBUTE = "pose_covariance"
"""An attribute of this name is the upper triangle, row by row, of the covariance of position and rotation vector along
the axes of the frame in which the object's pose is given."""
DEVIATIONS = 2.0
"""The ellipsoids reach so many standard deviations far."""
_SIZE = 21
_TRIANGLE = np.triu_indices(6)


class Estimated(NamedTuple):
    """An object whose pose may come with a covariance.

    Attributes:
        entity: its index in the layout.
        numbers: where in the values the covariance is.
        slot: of its pose.
    """

    entity: int
    numbers: slice
    slot: int


def estimated(layout: Layout) -> list[Estimated]:
    """Return the objects of a scene that may have a covariance."""
    return [
        Estimated(
            layout.entity_id(slot.entity),
            layout.range_of(slot.entity, ATTRIBUTE),
            layout.slot_id(slot.entity, POSE.name),
        )
        for slot in layout.slots
        if slot.attribute.name == ATTRIBUTE
        and slot.attribute.size == _SIZE
        and layout.has(slot.entity, POSE.name)
    ]


def covariances(snapshot: Snapshot, objects: Sequence[Estimated]) -> Floats:
    """Return (n, 8) ellipsoids of objects whose pose is estimated: the object, radii [m], rotation in the world."""
    found = [_ellipsoid(snapshot, one) for one in objects]
    return np.array([row for row in found if row is not None]).reshape(-1, len(COLUMNS))


def _ellipsoid(snapshot: Snapshot, one: Estimated) -> list[float] | None:
    triangle = snapshot.values[one.numbers]
    if not triangle.any() or not np.isfinite(triangle).all():
        return None
    whole = np.zeros((6, 6))
    whole[_TRIANGLE] = triangle
    lengths, axes = np.linalg.eigh(np.triu(whole)[:3, :3] + np.triu(whole, 1)[:3, :3].T)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    parent = int(snapshot.parents[one.slot])
    if parent >= 0:
        name = snapshot.layout.entities[parent].name
        axes = quat2mat(snapshot.get(name, POSE.name)[3:7]) @ axes
    w, x, y, z = mat2quat(axes)
    radii = DEVIATIONS * np.sqrt(np.maximum(lengths, 0.0))
    return [float(one.entity), *radii.tolist(), x, y, z, w]
