"""Writes worlds/solar_panel.sdf: a solar panel's payload unit with a socket, and the probe for it.

``python -m hetwin_suite.proving_ground.solar_panel_sdf > worlds/solar_panel.sdf``
"""

from __future__ import annotations

import sys
from math import pi

import numpy as np

from hetwin_core.ensemble.scene.values import Floats
from hetwin_suite.proving_ground.sdf_text import Part, Thing, world_sdf

COMMENT = """A bench of 0.75 m in front of the two-hand robot, whose base stands at the origin.
     On it a smart payload unit (spu) with a square hole, 40 mm deep, that is open at its top, beside the
     solar panel that it serves. The data interface probe (dip) is round: a handle and a shaft of 24 mm,
     which fits the hole with a clearance of 0.1 mm and ends in a chamfer of 5 mm, here in five steps. The
     origin of the dip is the middle of its tip, that of the spu the middle of the hole's bottom; both z
     point up: where their poses are equal, they are connected. The dip stands on the bench here; an
     episode's scene puts it into the right hand. Metres, z up. Written by
     hetwin_suite/proving_ground/solar_panel_sdf.py. """

BENCH_TOP = 0.75
HOLE_DEPTH = 0.04
CLEARANCE = 0.0001
"""Difference of the widths of hole and shaft [m]."""
SHAFT_RADIUS = 0.012
SHAFT_LENGTH = 0.045
CHAMFER = 0.005
HANDLE_RADIUS = 0.024
HANDLE_LENGTH = 0.1
DIP_MASS = 0.16
SPU_AT = (0.48, -0.3, BENCH_TOP + 0.06)
_SPU_HALF = 0.06
_STEPS = 5


def solar_panel() -> str:
    """The world file."""
    bench = [Part("top", "box", (0.7, 1.7, 0.04), (0.0, 0.0, BENCH_TOP - 0.02))]
    bench += [
        Part(f"leg_{i}", "box", (0.05, 0.05, 0.71), (x, y, 0.355))
        for i, (x, y) in enumerate(((0.3, 0.8), (0.3, -0.8), (-0.3, 0.8), (-0.3, -0.8)), start=1)
    ]
    panel = [
        Part("post", "box", (0.04, 0.04, 0.2), (0.1, 0.0, 0.1)),
        Part("cells", "box", (0.02, 0.6, 0.36), (0.06, 0.0, 0.26), (0.0, 0.6, 0.0)),
    ]
    length = SHAFT_LENGTH + HANDLE_LENGTH
    across = DIP_MASS * (3 * HANDLE_RADIUS**2 + length**2) / 12 + DIP_MASS * (length / 2) ** 2
    along = DIP_MASS * HANDLE_RADIUS**2 / 2
    return world_sdf(
        "solar_panel",
        COMMENT,
        [
            Thing("floor", [Part("floor", "plane", (8.0, 8.0))], (0, 0, 0), (0.68, 0.45, 0.34)),
            Thing("bench", bench, (0.66, 0.0, 0.0), (0.6, 0.6, 0.62)),
            Thing("panel", panel, (0.8, 0.3, BENCH_TOP), (0.1, 0.14, 0.35)),
            Thing("spu", _spu(), SPU_AT, (0.35, 0.37, 0.4), friction=0.25),
            Thing(
                "dip",
                dip_parts(),
                (0.4, 0.4, BENCH_TOP),
                (0.85, 0.55, 0.15),
                friction=0.25,
                mass=DIP_MASS,
                inertia=(across, across, along),
            ),
        ],
    )


def dip_parts() -> list[Part]:
    """Return the probe's shapes, in its frame."""
    shaft = SHAFT_LENGTH - CHAMFER
    step = CHAMFER / _STEPS
    parts = [
        Part(
            "handle",
            "cylinder",
            (HANDLE_RADIUS, HANDLE_LENGTH),
            (0.0, 0.0, SHAFT_LENGTH + HANDLE_LENGTH / 2),
        ),
        Part("shaft", "cylinder", (SHAFT_RADIUS, shaft), (0.0, 0.0, CHAMFER + shaft / 2)),
    ]
    for index in range(_STEPS):
        middle = (index + 0.5) * step
        radius = SHAFT_RADIUS - CHAMFER + middle
        at = (0.0, 0.0, middle)
        parts.append(Part(f"chamfer_{index + 1}", "cylinder", (radius, step), at))
    return parts


def shaft_hull(corners: int = 64) -> Floats:
    """Return (n, 3) corners of the true shaft and chamfer, without steps, in the probe's frame."""
    turns = np.arange(corners) * 2 * pi / corners
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(corners)])
    levels = (
        (SHAFT_RADIUS - CHAMFER, 0.0),
        (SHAFT_RADIUS, CHAMFER),
        (SHAFT_RADIUS, SHAFT_LENGTH),
    )
    return np.concatenate([ring * radius + [0.0, 0.0, z] for radius, z in levels])


def _spu() -> list[Part]:
    """Return four walls around a square hole, and a bottom that stands on the bench."""
    hole = SHAFT_RADIUS + CLEARANCE / 2
    thick = _SPU_HALF - hole
    aside, middle = hole + thick / 2, HOLE_DEPTH / 2
    wide = 2 * _SPU_HALF
    bottom = SPU_AT[2] - BENCH_TOP
    return [
        Part("wall_1", "box", (thick, wide, HOLE_DEPTH), (aside, 0.0, middle)),
        Part("wall_2", "box", (thick, wide, HOLE_DEPTH), (-aside, 0.0, middle)),
        Part("wall_3", "box", (2 * hole, thick, HOLE_DEPTH), (0.0, aside, middle)),
        Part("wall_4", "box", (2 * hole, thick, HOLE_DEPTH), (0.0, -aside, middle)),
        Part("bottom", "box", (wide, wide, bottom), (0.0, 0.0, -bottom / 2)),
    ]


if __name__ == "__main__":
    sys.stdout.write(solar_panel())
