"""The four containers: their walls, and signed distances from their rims."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, hypot, pi, sin, tan

import numpy as np

from hetwin_suite.model import Floats


@dataclass(frozen=True, slots=True)
class Container:
    """A container; its origin is the centre of its underside.

    Attributes:
        name: name of its model.
        corners: (n, 2) corners of the centre line of its rim, counter-clockwise [m].
        foot: ratio of the size of the floor to that of the rim, 1 for upright walls.
        height: height of the rim above its underside [m].
    """

    name: str
    corners: Floats
    foot: float
    height: float

    def margin(self, xy: Floats) -> float:
        """Return the signed distance of a point (2,) in the container's frame from its rim [m]; positive inside."""
        edges = np.roll(self.corners, -1, axis=0) - self.corners
        offsets = xy - self.corners
        fraction = np.clip(np.sum(offsets * edges, axis=1) / np.sum(edges**2, axis=1), 0.0, 1.0)
        distance = float(np.linalg.norm(offsets - fraction[:, None] * edges, axis=1).min())
        inside = np.all(edges[:, 0] * offsets[:, 1] - edges[:, 1] * offsets[:, 0] >= 0.0)
        return distance if inside else -distance


def _regular_polygon(radius: float, count: int) -> Floats:
    """Return (count, 2) corners of a regular polygon with the inradius `radius`."""
    angles = (np.arange(count) + 0.5) * 2 * pi / count
    return np.array([[cos(t), sin(t)] for t in angles]) * radius * hypot(1.0, tan(pi / count))


def _rectangle(x: float, y: float) -> Floats:
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2


CONTAINERS = (
    Container("bin", _regular_polygon(0.105, 16), 1.0, 0.18),
    Container("crate", _rectangle(0.22, 0.17), 1.0, 0.11),
    Container("tray", _regular_polygon(0.15, 12), 0.7, 0.06),
    Container("vase", _regular_polygon(0.065, 12), 1.0, 0.22),
)


def container(name: str) -> Container:
    """Return the container of this name.

    Raises:
        KeyError: if there is no such container.
    """
    return {container.name: container for container in CONTAINERS}[name]
