"""Choice of the object in reserve that represents a thing, by size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hetwin_suite.engine import POSE_SIZE, BoundingBoxes
from hetwin_suite.model import Floats, Layout


def sizes_of(layout: Layout, names: Sequence[str]) -> Floats:
    """Return the sides (n, 3) of the boxes around objects [m], shortest first; 0 without a colliding shape."""
    sizes = np.zeros((len(names), 3))
    boxes = BoundingBoxes(layout, names)
    poses = np.zeros((len(boxes), POSE_SIZE))
    poses[:, 3] = 1.0
    corners = boxes.around(poses)
    for name, box in zip(boxes.names, corners, strict=True):
        sizes[names.index(name)] = np.sort(box[3:] - box[:3])
    return sizes


def best_fit(sizes: Floats, free: Sequence[int], size: Floats) -> int:
    """Return the index of the free object whose sorted sides differ least from those of a thing.

    Args:
        sizes: result of `sizes_of`.
        free: indices of the objects in reserve; at least one.
        size: (3,) sides of the box around the thing [m]; zeros if they are not known.
    """
    sorted_size = np.sort(size)
    return min(free, key=lambda index: (float(np.abs(sizes[index] - sorted_size).sum()), index))
