"""Drops between success and failure: all that decides is drawn continuously, about where it begins to matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_bauer2022.drops.draw import Draw, Flaw, Grasp
from hetwin_suite.model import Floats

AIM_M = (-0.012, 0.028)
"""How far inside the rim the program aims; balls bounce off the rim on both sides of it."""
ASIDE_M = (0.002, 0.015)
"""How far the container stands from where it is believed."""
CLEARANCE_M = (0.03, 0.15)
"""Higher than usual: balls bounce out of the container."""
FORCE_N, FRICTION = (1.5, 4.5), (0.3, 0.9)
"""Of a pinch; the weakest slip while they carry."""
LATE_S = 0.08
"""Most by which one finger opens after the first."""
KNOCKED = 0.4
"""Share of the episodes in which the hand is knocked on the way ..."""
KNOCK_M = 0.03
"""... by at most so much."""
THROWN, SPEED_M_S = 0.5, (0.2, 0.7)
"""Share of the episodes in which the arm is moving when the hand opens, and how fast."""
PINCH_HEIGHT_M = (0.004, 0.030)
"""Height above the ball's middle at which a pinch aims the grasp frame: from well held to squeezed out."""


def at_the_boundary(drawn: Draw, random: np.random.Generator) -> Draw:
    """Return the draw with everything that decides drawn again about the boundary.

    Args:
        drawn: the episode; container, places, masses and bounce stay.
        random: generator of random numbers for this option, seed and episode.
    """
    deepest = drawn.container.margin(np.zeros(2))
    return replace(
        drawn,
        place_error=np.array([*aside(ASIDE_M, random), drawn.place_error[2]]),
        stand_error=random.normal(0.0, 0.003, 2),
        flaw=Flaw.NONE,
        grasp=Grasp.PINCH,
        height_error=random.uniform(*PINCH_HEIGHT_M),
        force=random.uniform(*FORCE_N),
        fading=np.inf,
        finger_friction=random.uniform(*FRICTION),
        aim=min(random.uniform(*AIM_M), deepest),
        clearance=random.uniform(*CLEARANCE_M),
        speed=random.uniform(*SPEED_M_S) if random.random() < THROWN else 0.0,
        late=random.uniform(0.0, LATE_S, 4),
        knock=_knock(random),
    )


def aside(between: tuple[float, float], random: np.random.Generator) -> Floats:
    """Return (2,) a horizontal way in any direction, with a length between two [m]."""
    angle = random.uniform(0.0, 2 * np.pi)
    return random.uniform(*between) * np.array([np.cos(angle), np.sin(angle)])


def _knock(random: np.random.Generator) -> Floats:
    """Return (3,) how far the hand is knocked aside on the way [m]; 0 in most episodes."""
    way = random.normal(0.0, 1.0, 3)
    size = random.uniform(0.0, KNOCK_M) if random.random() < KNOCKED else 0.0
    return np.asarray(size * way / np.linalg.norm(way))
