"""The four containers: their walls, and signed distances from their rims."""

from __future__ import annotations

from collections.abc import Callable
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
        foot: ratio of the sizes of floor and rim, 1 for upright walls.
        height: height of the rim above its underside [m].
    """

    name: str
    corners: Floats
    foot: float
    height: float

    def margin(self, xy: Floats) -> float:
        """Return the signed distance of a point (2,) in the container's frame from its rim [m]; positive inside."""
        ahead = np.roll(self.corners, -1, axis=0) - self.corners
        to = xy - self.corners
        share = np.clip(np.sum(to * ahead, axis=1) / np.sum(ahead**2, axis=1), 0.0, 1.0)
        distance = float(np.linalg.norm(to - share[:, None] * ahead, axis=1).min())
        inside = np.all(ahead[:, 0] * to[:, 1] - ahead[:, 1] * to[:, 0] >= 0.0)
        return distance if inside else -distance


def _ring(radius: float, count: int) -> Floats:
    """Return (count, 2) corners of a regular polygon with the inradius `radius`."""
    turns = (np.arange(count) + 0.5) * 2 * pi / count
    return np.array([[cos(t), sin(t)] for t in turns]) * radius * hypot(1.0, tan(pi / count))


def _rectangle(x: float, y: float) -> Floats:
    return np.array([[-x, -y], [x, -y], [x, y], [-x, y]]) / 2


CONTAINERS = (
    Container("bin", _ring(0.105, 16), 1.0, 0.18),
    Container("crate", _rectangle(0.22, 0.17), 1.0, 0.11),
    Container("tray", _ring(0.15, 12), 0.7, 0.06),
    Container("vase", _ring(0.065, 12), 1.0, 0.22),
)


def container(name: str) -> Container:
    """Return the container of this name.

    Raises:
        KeyError: if there is no such container.
    """
    by_name: Callable[[Container], bool] = lambda one: one.name == name  # noqa: E731
    for one in filter(by_name, CONTAINERS):
        return one
    raise KeyError(name)
