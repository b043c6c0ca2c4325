"""Writes worlds/tennis_table.sdf: a table, a tennis ball on its stand, four containers.

``python -m hetwin_suite.proving_ground.tennis_table_sdf > worlds/tennis_table.sdf``
"""

from __future__ import annotations

import sys
from math import sqrt

from hetwin_suite.proving_ground.containers import CONTAINERS
from hetwin_suite.proving_ground.sdf_text import Part, Thing, world_sdf

COMMENT = """A table of 0.75 m in front of the two-hand robot, whose base stands at the origin. A
     tennis ball lies on a stand within reach of its right hand. Four containers stand on the left of the
     table, out of the way; an episode's scene moves the one that it uses to the right. Ball and stand
     are moved together: the ball lies 0.13188 m above the stand's foot. Metres, z up. Written by
     hetwin_suite/proving_ground/tennis_table_sdf.py. """

TABLE_TOP = 0.75
BALL_RADIUS = 0.033
BALL_MASS = 0.058
RIM_HALF = 0.014
"""Half the inner width of the square rim on which the ball lies."""
RIM_TOP = 0.102
"""Height of the rim above the stand's foot."""
BALL_ABOVE_FOOT = RIM_TOP + sqrt(BALL_RADIUS**2 - RIM_HALF**2)
STAND_AT = (0.52, -0.12, TABLE_TOP)
PARKED = {"bin": (0.55, 0.3), "crate": (0.55, 0.62), "tray": (0.86, 0.5), "vase": (0.84, 0.2)}
_COLOURS = {
    "bin": (0.30, 0.42, 0.55),
    "crate": (0.55, 0.38, 0.22),
    "tray": (0.35, 0.55, 0.40),
    "vase": (0.70, 0.45, 0.40),
}


def tennis_table() -> str:
    """The world file."""
    things = [
        Thing("floor", [Part("floor", "plane", (8.0, 8.0))], (0.0, 0.0, 0.0), (0.75, 0.77, 0.78)),
        Thing("table", _table(), (0.66, 0.0, 0.0), (0.72, 0.55, 0.37)),
        Thing("stand", _stand(), STAND_AT, (0.25, 0.25, 0.28)),
    ]
    for one in CONTAINERS:
        at = (*PARKED[one.name], TABLE_TOP)
        things.append(Thing(one.name, one.parts(), at, _COLOURS[one.name]))
    moment = 2 / 3 * BALL_MASS * BALL_RADIUS**2  # hollow
    x, y, z = STAND_AT
    things.append(
        Thing(
            "ball",
            [Part("ball", "sphere", (BALL_RADIUS,))],
            (x, y, z + BALL_ABOVE_FOOT),
            (0.78, 0.88, 0.20),
            friction=0.6,
            mass=BALL_MASS,
            inertia=(moment, moment, moment),
        )
    )
    return world_sdf("tennis_table", COMMENT, things)


def _table() -> list[Part]:
    legs = [
        Part(f"leg_{i}", "box", (0.05, 0.05, 0.71), (x, y, 0.355))
        for i, (x, y) in enumerate(((0.3, 0.8), (0.3, -0.8), (-0.3, 0.8), (-0.3, -0.8)), start=1)
    ]
    return [Part("top", "box", (0.7, 1.7, 0.04), (0.0, 0.0, TABLE_TOP - 0.02)), *legs]


def _stand() -> list[Part]:
    thick, high = 0.008, 0.012
    out, length, z = RIM_HALF + thick / 2, 2 * (RIM_HALF + thick), RIM_TOP - high / 2
    return [
        Part("foot", "cylinder", (0.05, 0.01), (0.0, 0.0, 0.005)),
        Part("post", "cylinder", (0.018, 0.08), (0.0, 0.0, 0.05)),
        Part("rim_1", "box", (thick, length, high), (out, 0.0, z)),
        Part("rim_2", "box", (thick, length, high), (-out, 0.0, z)),
        Part("rim_3", "box", (length, thick, high), (0.0, out, z)),
        Part("rim_4", "box", (length, thick, high), (0.0, -out, z)),
    ]


if __name__ == "__main__":
    sys.stdout.write(tennis_table())
