"""Dimensions of `worlds/solar_panel.sdf` for the stand-in: a payload unit with a socket, and its probe [m]."""

from __future__ import annotations

from math import pi

import numpy as np

from hetwin_suite.model import Floats

BENCH_TOP = 0.75
HOLE_DEPTH = 0.04
SHAFT_RADIUS = 0.012
SHAFT_LENGTH = 0.045
CHAMFER = 0.005
HANDLE_LENGTH = 0.1
DIP_MASS = 0.16
"""Mass of the probe [kg]."""
SPU_AT = (0.48, -0.3, BENCH_TOP + 0.06)


def shaft_hull(corners: int = 64) -> Floats:
    """Return (n, 3) corners of the true shaft with its chamfer, without steps, in the probe's frame [m]."""
    angles = np.arange(corners) * 2 * pi / corners
    ring = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(corners)])
    levels = (
        (SHAFT_RADIUS - CHAMFER, 0.0),
        (SHAFT_RADIUS, CHAMFER),
        (SHAFT_RADIUS, SHAFT_LENGTH),
    )
    return np.concatenate([ring * radius + [0.0, 0.0, z] for radius, z in levels])
