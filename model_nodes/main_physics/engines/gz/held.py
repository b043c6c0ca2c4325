"""What goes along when a robot's base is put elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import WORLD, Floats
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.gz.touching import Key
from model_nodes.main_physics.world.names import frame_name


def held_by(robot: str, shadow: Shadow, touching: Iterable[Key]) -> set[str]:
    """Return the objects that move with a robot.

    Those that are led in its frames or attached to such do, and those that touch it or these, directly or through
    others that do. What touches anything else, such as the floor, does not: it stands there.

    Args:
        robot: its name.
        shadow: of the world.
        touching: pairs of frames that touch each other.
    """
    bodies = shadow.world.bodies
    owner = {frame_name(body, link.name): body.name for body in bodies for link in body.links}
    on = {n: owner.get(v.parent, WORLD) for n, v in shadow.kinematic.values.items()}
    on |= {name: owner[load.to] for name, load in shadow.loads.items()}
    held = {name for name in on if _carrier(name, on) == robot}
    standing = {name for name in on if _carrier(name, on) == WORLD}
    pairs: list[tuple[str, str]] = []
    for keys in touching:
        one, other = (owner.get(shadow.tables.frames[key], WORLD) for key in keys)
        for name, partner in ((one, other), (other, one)):
            if partner == robot or partner in shadow.poses:
                pairs.append((partner, name))
            else:
                standing.add(name)
    reached, new = {robot, *held}, {robot, *held}
    while new:
        new = {name for partner, name in pairs if partner in new}
        new = (new & shadow.poses.keys()) - standing - reached
        reached |= new
    return reached - {robot}


def _carrier(name: str, on: dict[str, str]) -> str:
    """What an object is led by or attached to in the end."""
    passed: set[str] = set()
    while name in on and name not in passed:
        passed.add(name)
        name = on[name]
    return name


def carried_along(
    robot: str, state: Floats, held: Iterable[str], shadow: Shadow
) -> dict[str, Floats]:
    """Return object -> (13,) where it goes if the base of a robot is put to (13,) a state."""
    before, after = shadow.bases[robot].copy(), np.array(state)
    before[7:], after[7:] = 0.0, 0.0
    return {name: compose(after, relative_to(before, shadow.poses[name])) for name in held}
