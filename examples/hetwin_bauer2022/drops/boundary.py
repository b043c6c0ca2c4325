"""Drops between success and failure, whose deciding quantities are drawn continuously close to the boundary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hetwin_bauer2022.drops.draw import Draw, Flaw, Grasp
from hetwin_suite.model import Floats

AIM_M = (-0.012, 0.028)
"""Distance of the aim inside the rim [m]; balls bounce off the rim on both sides of it."""
ASIDE_M = (0.002, 0.015)
"""Offset of the container from its believed position [m]."""
CLEARANCE_M = (0.03, 0.15)
"""Clearance, higher than usual, so that balls bounce out of the container [m]."""
FORCE_N, FRICTION = (1.5, 4.5), (0.3, 0.9)
"""Force and friction of a pinch; the weakest grasps slip during transport."""
LATE_S = 0.08
"""Maximum delay of a finger's opening after the first one [s]."""
KNOCKED = 0.4
"""Share of the episodes in which the hand is knocked during transport ..."""
KNOCK_M = 0.03
"""... by at most this distance [m]."""
THROWN, SPEED_M_S = 0.5, (0.2, 0.7)
"""Share of the episodes in which the arm is moving when the hand opens, and its speed."""
PINCH_HEIGHT_M = (0.004, 0.030)
"""Height of the grasp frame's goal above the ball's centre in a pinch [m]: from firm to squeezed out."""


def redraw_near_boundary(drawn: Draw, random: np.random.Generator) -> Draw:
    """Return the draw with all deciding quantities drawn again close to the boundary.

    Args:
        drawn: draw of the episode; container, positions, masses and bounce stay.
        random: generator of random numbers for this option, seed and episode.
    """
    inradius = drawn.container.margin(np.zeros(2))
    return replace(
        drawn,
        place_error=np.array([*random_offset(ASIDE_M, random), drawn.place_error[2]]),
        stand_error=random.normal(0.0, 0.003, 2),
        flaw=Flaw.NONE,
        grasp=Grasp.PINCH,
        height_error=random.uniform(*PINCH_HEIGHT_M),
        force=random.uniform(*FORCE_N),
        fading=np.inf,
        finger_friction=random.uniform(*FRICTION),
        aim=min(random.uniform(*AIM_M), inradius),
        clearance=random.uniform(*CLEARANCE_M),
        speed=random.uniform(*SPEED_M_S) if random.random() < THROWN else 0.0,
        late=random.uniform(0.0, LATE_S, 4),
        knock=_knock(random),
    )


def random_offset(length_range: tuple[float, float], random: np.random.Generator) -> Floats:
    """Return (2,) a horizontal displacement in a random direction, with a length in the given range [m]."""
    angle = random.uniform(0.0, 2 * np.pi)
    return random.uniform(*length_range) * np.array([np.cos(angle), np.sin(angle)])


def _knock(random: np.random.Generator) -> Floats:
    """Return (3,) the displacement of the hand by a knock during transport [m]; 0 in most episodes."""
    direction = random.normal(0.0, 1.0, 3)
    size = random.uniform(0.0, KNOCK_M) if random.random() < KNOCKED else 0.0
    return np.asarray(size * direction / np.linalg.norm(direction))
