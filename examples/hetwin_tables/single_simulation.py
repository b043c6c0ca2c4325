"""The fluid without an ensemble: the same particles as bodies of the main model's world.

The baseline of Bauer et al. (2022), section 4.1: everything in one simulation.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from hetwin_fluid import Cup, Kind, Substance, settled_in
from hetwin_stand_ins.sdf_text import SdfModel, SdfShape, world_sdf
from hetwin_suite.engine import Settings, entities_of, load_world
from hetwin_suite.model import Entity, Floats
from hetwin_suite.runs import resource

WORLD = resource("worlds", "pouring.sdf")
"""A jug and a bowl on a table."""
RADIUS = 0.006
"""Radius of a particle [m]."""
DENSITY = 1000.0
"""Density of a particle [kg/m3]."""
PARTICLE_FRICTION = 0.02
"""Friction coefficient of a particle."""
_WATER = (0.25, 0.55, 0.85)


def jug() -> Entity:
    """Return the jug of the world `pouring` as an entity."""
    entities = entities_of(load_world(Settings.read({"world": str(WORLD)})), {})
    return next(entity for entity in entities if entity.name == "jug")


def settled_particles(count: int, seed: int = 1) -> Floats:
    """Return (count, 3) positions of particles at rest in the jug, in its frame [m]."""
    substance = Substance(Kind.POINTS, RADIUS, DENSITY, 0.0, 0.002)
    return settled_in(Cup(jug()), count, substance, 9.81, seed)


def world_with(count: int, friction: float = PARTICLE_FRICTION) -> str:
    """Return the world `pouring` with particles in the jug, as free spheres."""
    mass = DENSITY * 4.0 / 3.0 * np.pi * RADIUS**3
    moment = 0.4 * mass * RADIUS**2
    root = ET.parse(WORLD).getroot()
    (world,) = root.iter("world")
    x, y, z = map(float, world.findtext("model[@name='jug']/pose", "").split()[:3])
    positions = settled_particles(count) if count else np.empty((0, 3))
    particles = [
        SdfModel(
            f"particle_{i}",
            [SdfShape("ball", "sphere", (RADIUS,))],
            (x + position[0], y + position[1], z + position[2]),
            _WATER,
            friction,
            mass,
            (moment, moment, moment),
        )
        for i, position in enumerate(positions.tolist(), start=1)
    ]
    world.extend(ET.fromstring(world_sdf("particles", "", particles)).iter("model"))
    return ET.tostring(root, encoding="unicode")
