"""The four containers: their walls, and signed distances from their rims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import atan2, cos, hypot, pi, sin, tan

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.sdf_text import Part

WALL = 0.006
"""Thickness of walls and floors in metres."""


@dataclass(frozen=True, slots=True)
class Container:
    """A container whose origin is the centre of its underside.

    Attributes:
        name: of its model.
        corners: (n, 2) of the centre line of its rim, counter-clockwise, in metres.
        foot: ratio of the sizes of floor and rim, 1 for upright walls.
        height: of the rim above its underside.
    """

    name: str
    corners: Floats
    foot: float
    height: float

    def margin(self, xy: Floats) -> float:
        """Return the signed distance of a point (2,) in the container's frame from its rim [m]: inside > 0."""
        ahead = np.roll(self.corners, -1, axis=0) - self.corners
        to = xy - self.corners
        share = np.clip(np.sum(to * ahead, axis=1) / np.sum(ahead**2, axis=1), 0.0, 1.0)
        distance = float(np.linalg.norm(to - share[:, None] * ahead, axis=1).min())
        inside = np.all(ahead[:, 0] * to[:, 1] - ahead[:, 1] * to[:, 0] >= 0.0)
        return distance if inside else -distance

    def parts(self) -> list[Part]:
        """Return the floor and the walls."""
        lower = self.corners * self.foot
        parts = self._floor(lower)
        ends = np.roll(self.corners, -1, axis=0)
        for index, (start, end) in enumerate(zip(self.corners, ends, strict=True), start=1):
            parts.append(self._wall(f"wall_{index}", (start + end) / 2, end - start))
        return parts

    def _floor(self, corners: Floats) -> list[Part]:
        if len(corners) == 4:
            x, y = np.ptp(corners, axis=0)
            return [Part("floor", "box", (float(x), float(y), WALL), (0.0, 0.0, WALL / 2))]
        radius = float(np.linalg.norm(corners, axis=1).max())
        return [Part("floor", "cylinder", (radius, WALL), (0.0, 0.0, WALL / 2))]

    def _wall(self, name: str, rim: Floats, along: Floats) -> Part:
        """Return a box below one edge of the rim, leaning outward if the floor is smaller."""
        reach = float(np.linalg.norm(rim))
        inward = reach * (1.0 - self.foot)
        lean = atan2(inward, self.height)
        middle = rim * (1.0 - inward / 2 / reach)
        length = float(np.linalg.norm(along)) + (2 * WALL if len(self.corners) == 4 else WALL / 2)
        size = (WALL, length, hypot(inward, self.height))
        at = (float(middle[0]), float(middle[1]), self.height / 2)
        return Part(name, "box", size, at, (0.0, lean, atan2(rim[1], rim[0])))


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
        KeyError: if there is none.
    """
    by_name: Callable[[Container], bool] = lambda one: one.name == name  # noqa: E731
    for one in filter(by_name, CONTAINERS):
        return one
    raise KeyError(name)
