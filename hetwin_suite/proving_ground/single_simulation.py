"""The fluid without an ensemble: the same particles as bodies of the main model's world.

The baseline of Bauer et al. (2022), section 4.1: everything in one simulation.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from hetwin_fluid import Cup, Kind, Substance, settled_in
from hetwin_suite.engine import Part, Thing
from hetwin_suite.model import Entity, EntityKind, Floats, Shape, ShapeKind
from hetwin_suite.proving_ground.pouring_sdf import (
    JUG_AT,
    JUG_HEIGHT,
    JUG_MASS,
    JUG_RADIUS,
    SLIPPERY,
    cup,
    pouring,
)

RADIUS = 0.006
"""Radius of a particle [m]."""
DENSITY = 1000.0
"""Density of a particle [kg/m3]."""
_WATER = (0.25, 0.55, 0.85)


def jug() -> Entity:
    """Return the jug of the world `pouring` as an entity."""
    thing = cup("jug", JUG_RADIUS, JUG_HEIGHT, JUG_MASS, JUG_AT, (0.8, 0.8, 0.8))
    shapes = tuple(_shape(part) for part in thing.parts)
    return Entity("jug", EntityKind.OBJECT, mass=JUG_MASS, shapes=shapes)


def settled(count: int, seed: int = 1) -> Floats:
    """Return (count, 3) positions of particles at rest in the jug, in its frame [m]."""
    substance = Substance(Kind.POINTS, RADIUS, DENSITY, 0.0, 0.002)
    return settled_in(Cup(jug()), count, substance, 9.81, seed)


def world_with(count: int, friction: float = SLIPPERY) -> str:
    """Return the world `pouring` with particles in the jug, as free spheres."""
    mass = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
    moment = 0.4 * mass * RADIUS**2
    inside = settled(count) if count else np.empty((0, 3))
    particles = [
        Thing(
            f"particle_{i}",
            [Part("ball", "sphere", (RADIUS,))],
            (JUG_AT[0] + x, JUG_AT[1] + y, JUG_AT[2] + z),
            _WATER,
            friction,
            mass,
            (moment, moment, moment),
        )
        for i, (x, y, z) in enumerate(inside.tolist(), start=1)
    ]
    return pouring(particles, "single_simulation")


def _shape(part: Part) -> Shape:
    turn = 0.5 * part.turn[2]
    pose = (*part.at, cos(turn), 0.0, 0.0, sin(turn))
    return Shape(ShapeKind(part.kind), part.size, pose)
