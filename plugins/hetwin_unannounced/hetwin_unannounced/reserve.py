"""Which object in reserve stands for a thing, by their sizes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_suite.engine import POSE_SIZE, BoundingBoxes
from hetwin_suite.model import Floats, Layout


def sizes_of(layout: Layout, names: Sequence[str]) -> Floats:
    """Return (n, 3) the sides of the boxes around objects [m], the shortest first; 0 without colliding shapes."""
    sizes = np.zeros((len(names), 3))
    boxes = BoundingBoxes(layout, names)
    poses = np.zeros((len(boxes), POSE_SIZE))
    poses[:, 3] = 1.0
    corners = boxes.around(poses)
    for name, box in zip(boxes.names, corners, strict=True):
        sizes[names.index(name)] = np.sort(box[3:] - box[:3])
    return sizes


def best_fit(sizes: Floats, free: Sequence[int], size: Floats) -> int:
    """Return the index of the free object whose sides differ least from those of a thing, whichever way it lies.

    Args:
        sizes: as `sizes_of` returns them.
        free: indices of the objects that stand for nothing; at least one.
        size: (3,) sides of the box around the thing [m]; zeros if they are not known.
    """
    wanted = np.sort(size)
    return min(free, key=lambda index: (float(np.abs(sizes[index] - wanted).sum()), index))
