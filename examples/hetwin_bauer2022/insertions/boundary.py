"""Insertions between success and failure, with depth, tilt and lateral offset close to the boundary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_bauer2022.drops.boundary import random_offset
from hetwin_bauer2022.insertions.draw import Draw

ASIDE_M = (0.002, 0.009)
"""Lateral offset of the socket from its believed position [m]; beyond it, hardly any probe finds the hole."""
ALONG_M = 0.015
"""Maximum vertical offset of the socket from its believed position [m]."""
BEYOND_M = (-0.042, 0.010)
"""Last goal relative to the believed bottom [m]: from barely at the hole's mouth to the usual depth beyond it."""
TILT = 0.05
"""Maximum tilt of the probe in the hand, about either axis [rad]."""
SEARCH_M = (0.004, 0.016)
"""Radius of the search spiral in programs that search [m]."""


def redraw_near_boundary(drawn: Draw, random: np.random.Generator) -> Draw:
    """Return the draw with all deciding quantities drawn again close to the boundary.

    Args:
        drawn: draw of the episode; the believed socket, masses, grip and arm stay.
        random: generator of random numbers for this option, seed and episode.
    """
    lean = random.uniform(-TILT, TILT, 2)
    radius = random.uniform(*SEARCH_M)
    return replace(
        drawn,
        socket_error=np.array([*random_offset(ASIDE_M, random), random.uniform(-ALONG_M, ALONG_M)]),
        dip_turn=np.array([*lean, drawn.dip_turn[2]]),
        search_radius=radius if drawn.search_radius else 0.0,
        beyond=random.uniform(*BEYOND_M),
    )
