"""Insertions between success and failure: depth, tilt and sideways offset pass through snapped, half in and beside."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_bauer2022.drops.boundary import aside
from hetwin_bauer2022.insertions.draw import Draw

ASIDE_M = (0.002, 0.009)
"""How far the socket is sideways from where it is believed: further away hardly any probe finds the hole."""
ALONG_M = 0.015
"""How much higher or lower than believed it is at most."""
BEYOND_M = (-0.042, 0.010)
"""Where the program stops pushing: from barely at the believed hole's mouth to as far beyond its bottom as usual."""
TILT = 0.05
"""Most by which the probe leans in the hand, about either axis [rad]."""
SEARCH_M = (0.004, 0.016)
"""Radius of the search spiral, in the share of the programs that search."""


def at_the_boundary(drawn: Draw, random: np.random.Generator) -> Draw:
    """Return the draw with everything that decides drawn again about the boundary.

    Args:
        drawn: the episode; the believed socket, masses, grip and arm stay.
        random: generator of random numbers for this option, seed and episode.
    """
    lean = random.uniform(-TILT, TILT, 2)
    radius = random.uniform(*SEARCH_M)
    return replace(
        drawn,
        socket_error=np.array([*aside(ASIDE_M, random), random.uniform(-ALONG_M, ALONG_M)]),
        dip_turn=np.array([*lean, drawn.dip_turn[2]]),
        search_radius=radius if drawn.search_radius else 0.0,
        beyond=random.uniform(*BEYOND_M),
    )
