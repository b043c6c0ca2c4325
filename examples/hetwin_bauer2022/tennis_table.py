"""Dimensions of `worlds/tennis_table.sdf` for the stand-in: a table, a tennis ball on its stand, four containers."""

from __future__ import annotations

from math import sqrt

TABLE_TOP = 0.75
BALL_RADIUS = 0.033
BALL_MASS = 0.058
RIM_HALF = 0.014
"""Half the inner width of the square rim that supports the ball [m]."""
RIM_TOP = 0.102
"""Height of the rim above the stand's foot [m]."""
BALL_ABOVE_FOOT = RIM_TOP + sqrt(BALL_RADIUS**2 - RIM_HALF**2)
STAND_AT = (0.52, -0.12, TABLE_TOP)
