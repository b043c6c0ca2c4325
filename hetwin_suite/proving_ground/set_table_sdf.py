"""Writes worlds/set_table.sdf: a kitchen with a cupboard, a table with a tray, and what a table is set with.

``python -m hetwin_suite.proving_ground.set_table_sdf > worlds/set_table.sdf``
"""

from __future__ import annotations

import sys

from hetwin_suite.proving_ground.pouring_sdf import cup as hollow
from hetwin_suite.proving_ground.sdf_text import Part, Thing, world_sdf

COMMENT = """A kitchen: a low cupboard ahead of the origin with dishes on it, a table to its left with a tray, and a
     lamp that stands on the floor. The serving robot is not in here; the scenario names it. Metres, z up. Written by
     hetwin_suite/proving_ground/set_table_sdf.py. """

CUPBOARD_TOP, TABLE_TOP, TRAY_TOP = 0.76, 0.74, 0.78
CUPBOARD_AT, TABLE_AT, TRAY_AT = (1.25, 0.0), (0.0, 1.92), (0.0, 1.68)
WHITE, RED, YELLOW = (0.92, 0.92, 0.88), (0.80, 0.20, 0.18), (0.90, 0.70, 0.25)
BLUE, GREEN, BROWN = (0.25, 0.42, 0.68), (0.30, 0.55, 0.35), (0.45, 0.32, 0.22)
WOOD, DARK_WOOD = (0.72, 0.55, 0.37), (0.55, 0.40, 0.28)
PLATE = (0.12, 0.12, 0.03)
CUP_RADIUS, CUP_HEIGHT = 0.03, 0.1


def set_table() -> str:
    """Return the world file."""
    return world_sdf("set_table", COMMENT, [*_furniture(), *_dishes(), *_groceries()])


def _furniture() -> list[Thing]:
    legs = ((0.6, 0.35), (0.6, -0.35), (-0.6, 0.35), (-0.6, -0.35))
    table = [Part("top", "box", (1.3, 0.8, 0.04), (0.0, 0.0, TABLE_TOP - 0.02))]
    table += [
        Part(f"leg_{i}", "box", (0.05, 0.05, TABLE_TOP - 0.04), (x, y, TABLE_TOP / 2 - 0.02))
        for i, (x, y) in enumerate(legs, 1)
    ]
    cupboard = [
        Part("body", "box", (0.46, 1.3, CUPBOARD_TOP - 0.02), (0.0, 0.0, CUPBOARD_TOP / 2 - 0.01)),
        Part("top", "box", (0.5, 1.34, 0.02), (0.0, 0.0, CUPBOARD_TOP - 0.01)),
        Part("back", "box", (0.02, 1.34, 0.06), (0.24, 0.0, CUPBOARD_TOP + 0.03)),
    ]
    tray = [Part("tray", "box", (0.52, 0.3, 0.04))]
    lamp = [
        Part("foot", "cylinder", (0.12, 0.02), (0.0, 0.0, 0.01)),
        Part("pole", "cylinder", (0.015, 1.5), (0.0, 0.0, 0.76)),
    ]
    return [
        Thing("floor", [Part("floor", "plane", (8.0, 8.0))], (0.0, 0.0, 0.0), (0.75, 0.77, 0.78)),
        Thing("cupboard", cupboard, (*CUPBOARD_AT, 0.0), DARK_WOOD),
        Thing("table", table, (*TABLE_AT, 0.0), WOOD),
        Thing("tray", tray, (*TRAY_AT, TABLE_TOP + 0.02), BLUE),
        Thing("lamp", lamp, (-0.9, -0.6, 0.0), (0.35, 0.36, 0.38)),
    ]


def _dishes() -> list[Thing]:
    """Return plates, of which one stands on another, and cups; the first is hollow, so that it may hold a drink."""
    low = CUPBOARD_TOP + PLATE[2] / 2
    cup = CUPBOARD_TOP + CUP_HEIGHT / 2
    return [
        box("plate1", PLATE, (1.15, 0.3, low), WHITE, 0.3),
        box("plate2", PLATE, (1.15, 0.3, low + PLATE[2]), WHITE, 0.3),
        box("plate3", PLATE, (1.32, 0.5, low), WHITE, 0.3),
        hollow("cup1", CUP_RADIUS, CUP_HEIGHT, 0.25, (1.15, -0.28, cup), RED, 0.5),
        round_thing("cup2", CUP_RADIUS, CUP_HEIGHT, (1.32, -0.14, cup), YELLOW, 0.25),
        round_thing("cup3", CUP_RADIUS, CUP_HEIGHT, (1.15, -0.5, cup), GREEN, 0.25),
    ]


def _groceries() -> list[Thing]:
    return [
        round_thing("bottle", 0.03, 0.24, (0.42, 1.68, TABLE_TOP + 0.12), GREEN, 0.4),
        box("sugar", (0.07, 0.05, 0.12), (1.38, 0.06, CUPBOARD_TOP + 0.06), WHITE, 0.5),
        round_thing("jar", 0.035, 0.1, (1.38, -0.4, CUPBOARD_TOP + 0.05), BROWN, 0.3),
        round_thing("bowl", 0.07, 0.06, (1.38, -0.56, CUPBOARD_TOP + 0.03), BLUE, 0.3),
        box("toast", (0.1, 0.12, 0.12), (-0.45, 2.0, TABLE_TOP + 0.06), BROWN, 0.4),
    ]


def box(
    name: str,
    size: tuple[float, float, float],
    at: tuple[float, float, float],
    colour: tuple[float, float, float],
    mass: float,
) -> Thing:
    """Return a box of even density at the place of its middle."""
    x, y, z = (length**2 for length in size)
    inertia = (mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y))
    return Thing(name, [Part("body", "box", size)], at, colour, 0.5, mass, inertia)


def round_thing(
    name: str,
    radius: float,
    height: float,
    at: tuple[float, float, float],
    colour: tuple[float, float, float],
    mass: float,
) -> Thing:
    """Return a cylinder of even density at the place of its middle."""
    across = mass * (3 * radius**2 + height**2) / 12
    inertia = (across, across, mass * radius**2 / 2)
    body = [Part("body", "cylinder", (radius, height))]
    return Thing(name, body, at, colour, 0.5, mass, inertia)


if __name__ == "__main__":
    sys.stdout.write(set_table())
