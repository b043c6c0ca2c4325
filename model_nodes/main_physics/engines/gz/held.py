"""What goes along when a robot's base is put elsewhere."""

from __future__ import annotations

import numpy as np

from hetwin_core.ensemble.scene.poses import compose, relative_to
from hetwin_core.ensemble.scene.values import WORLD, Floats
from model_nodes.main_physics.engines.gz.objects import Objects
from model_nodes.main_physics.engines.gz.shadow import Shadow
from model_nodes.main_physics.engines.gz.touching import Key
from model_nodes.main_physics.world.names import frame_name


def held_by(robot: str, shadow: Shadow, touching: list[Key]) -> set[str]:
    """Return the objects that touch a robot, directly or through others, or are led in frames of these.

    Args:
        robot: its name.
        shadow: of the world.
        touching: pairs of frames that touch each other.
    """
    owner = {
        frame_name(body, link.name): body.name
        for body in shadow.world.bodies
        if body.robot or not body.static
        for link in body.links
    }
    frames = shadow.tables.frames
    pairs = [(owner.get(frames[a]), owner.get(frames[b])) for a, b in touching]
    for name, value in shadow.kinematic.values.items():
        pairs.append((name, owner.get(value.parent) if value.parent != WORLD else None))
    pairs += [(name, owner.get(load.to)) for name, load in shadow.loads.items()]
    reached, new = {robot}, {robot}
    while new:
        near = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in new and b is not None}
        new = near - reached
        reached |= {name for name in new if name in shadow.poses}
        new &= reached
    return reached - {robot}


def carried_along(
    robot: str, state: Floats, held: set[str], shadow: Shadow, objects: Objects
) -> dict[str, Floats]:
    """Return object -> (13,) where it goes if the base of a robot is put to (13,) a state.

    Objects that another model leads in the world stay where that model has them.
    """
    before, after = shadow.bases[robot].copy(), np.array(state)
    before[7:], after[7:] = 0.0, 0.0
    led = {n for n, value in shadow.kinematic.values.items() if value.parent == WORLD}
    return {
        name: compose(after, relative_to(before, shadow.poses[name]))
        for name in held - led - objects.selection.frozen.keys()
    }
