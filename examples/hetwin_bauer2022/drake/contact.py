"""Converts contact settings of the stand-in to Drake's."""

from __future__ import annotations

import math

from pydrake.geometry import AddContactMaterial, ProximityProperties
from pydrake.multibody.plant import CoulombFriction

IMPACT_SPEED = 1.5
"""Impact speed at which bodies bounce as high as in the stand-in [m/s]: that of a fall from 0.11 m."""

BALL_STIFFNESS = 2.6e4
"""Stiffness of each side of a tennis ball [N/m]: 6.5 mm under 80 N between two plates (Rules of Tennis, Appendix I)."""
DEFAULT_TIME_CONSTANT = 0.0085
"""Time constant of this ball's contacts in the stand-in [s]."""


def contact_properties(
    stiffness: float, dissipation: float, friction: float
) -> ProximityProperties:
    """Return the properties of a shape.

    Args:
        stiffness: stiffness of a point contact [N/m].
        dissipation: dissipation of Hunt and Crossley [s/m].
        friction: coefficient of sliding friction.
    """
    material = ProximityProperties()
    coulomb = CoulombFriction(static_friction=friction, dynamic_friction=friction)
    AddContactMaterial(
        dissipation=dissipation,
        point_stiffness=stiffness,
        friction=coulomb,
        properties=material,
    )
    return material


def contact_stiffness(time: float) -> float:
    """Return the stiffness of the ball's contacts [N/m].

    Args:
        time: time constant of the ball's contacts in the stand-in [s]; `DEFAULT_TIME_CONSTANT` for a tennis ball.
    """
    return BALL_STIFFNESS * (DEFAULT_TIME_CONSTANT / time) ** 2


def contact_dissipation(damping: float) -> float:
    """Return the Hunt-Crossley dissipation [s/m] with the rebound of a linear damper at `IMPACT_SPEED`.

    Args:
        damping: damping ratio of the linear damper.
    """
    if damping >= 1.0:
        return contact_dissipation(0.95)
    restitution = math.exp(-math.pi * damping / math.sqrt(1.0 - damping**2))
    low, high = 0.0, 1.0 / (restitution * IMPACT_SPEED)
    for _ in range(60):
        candidate = (low + high) / 2
        low, high = (
            (candidate, high) if _restitution_is_below(candidate, restitution) else (low, candidate)
        )
    return low


def _restitution_is_below(dissipation: float, restitution: float) -> bool:
    """Whether a dissipation has a smaller restitution than this, by the energy balance of Hunt and Crossley's model."""
    u = dissipation * IMPACT_SPEED
    return math.log1p(u) - math.log1p(-restitution * u) < u * (1.0 + restitution)


def friction_in_pair(pair_friction: float, other_friction: float) -> float:
    """Return the friction of a shape that gives a pair its friction; Drake uses the harmonic mean of both shapes.

    Args:
        pair_friction: friction coefficient of the pair.
        other_friction: friction coefficient of the other shape.
    """
    return pair_friction * other_friction / max(2.0 * other_friction - pair_friction, 1e-3)
