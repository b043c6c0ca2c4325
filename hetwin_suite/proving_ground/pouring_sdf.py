"""Writes worlds/pouring.sdf: a table with a jug to pour from and a bowl to pour into.

``python -m hetwin_suite.proving_ground.pouring_sdf > worlds/pouring.sdf``
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import cos, pi, sin, tan

from hetwin_suite.engine import Part, Thing, world_sdf

COMMENT = """A table of 0.75 m in front of the tabletop arm, whose base stands at the origin. A jug
     stands within reach, a bowl beside it. Their origins are in the middle of their heights. Slippery, since
     what they hold is a fluid; rubber pads hold them all the same. Metres, z up. Written by
     hetwin_suite/proving_ground/pouring_sdf.py. """

TABLE_TOP = 0.75
SIDES = 12
WALL = 0.003
JUG_RADIUS, JUG_HEIGHT, JUG_MASS = 0.03, 0.10, 0.15
BOWL_RADIUS, BOWL_HEIGHT, BOWL_MASS = 0.06, 0.08, 0.3
JUG_AT = (0.50, 0.16, TABLE_TOP + JUG_HEIGHT / 2)
BOWL_AT = (0.50, -0.06, TABLE_TOP + BOWL_HEIGHT / 2)
SLIPPERY = 0.02


def pouring(more: Sequence[Thing] = (), name: str = "pouring") -> str:
    """Return the world file, with additional models."""
    table = [Part("top", "box", (0.76, 1.1, 0.04), (0.0, 0.0, TABLE_TOP - 0.02))]
    table += [
        Part(f"leg_{i}", "box", (0.05, 0.05, 0.71), (x, y, 0.355))
        for i, (x, y) in enumerate(((0.34, 0.51), (0.34, -0.51), (-0.34, 0.51), (-0.34, -0.51)), 1)
    ]
    things = [
        Thing("floor", [Part("floor", "plane", (8.0, 8.0))], (0.0, 0.0, 0.0), (0.75, 0.77, 0.78)),
        Thing("table", table, (0.58, 0.0, 0.0), (0.72, 0.55, 0.37)),
        cup("jug", JUG_RADIUS, JUG_HEIGHT, JUG_MASS, JUG_AT, (0.85, 0.86, 0.88)),
        cup("bowl", BOWL_RADIUS, BOWL_HEIGHT, BOWL_MASS, BOWL_AT, (0.30, 0.42, 0.55)),
        *more,
    ]
    return world_sdf(name, COMMENT, things)


def cup(
    name: str,
    radius: float,
    height: float,
    mass: float,
    at: tuple[float, float, float],
    colour: tuple[float, float, float],
    friction: float = SLIPPERY,
) -> Thing:
    """Return a round cup with an inner radius, open at the top."""
    across = mass * (radius**2 / 2 + height**2 / 12)
    inertia = (across, across, mass * radius**2)
    return Thing(name, _walls(radius, height), at, colour, friction, mass, inertia)


def _walls(radius: float, height: float) -> list[Part]:
    outer, middle = radius + WALL, radius + WALL / 2
    floor = Part("bottom", "cylinder", (outer, WALL), (0.0, 0.0, (WALL - height) / 2))
    size = (WALL, 2 * outer * tan(pi / SIDES), height)
    turns = [2 * pi * i / SIDES for i in range(SIDES)]
    return [floor] + [
        Part(f"wall_{i}", "box", size, (middle * cos(a), middle * sin(a), 0.0), (0.0, 0.0, a))
        for i, a in enumerate(turns, start=1)
    ]


if __name__ == "__main__":
    sys.stdout.write(pouring())
